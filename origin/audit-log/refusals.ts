import { HOUR_MS } from '../../shared/durations.ts'
import type { Database } from '../db/open.ts'
import { type OriginLog, errorTrace } from '../log.ts'
import { appendEntry, type NewEntry } from './append-entry.ts'
import type { AuditContext } from './context.ts'
import { storableText } from './storable-text.ts'

/** Interval at which ended windows are written. */
export const REFUSALS_FLUSH_MS = 60_000

/** Windows in memory, at about 1 KiB each. Beyond that, the oldest window ends early. */
const WINDOWS_MAX = 4_096

/**
 * Attempts of an account that are logged at once in a clock hour. A key has a window per operation, so one key cannot
 * reach this, but an owner of many keys could fill the database, whose entries are permanent.
 */
const FIRST_ENTRIES_PER_HOUR = 200

const MESSAGE_MAX = 500

export type RefusedAttempt = {
  context: AuditContext
  /** Code of the error response. */
  code: string
  /** Text of the error response. */
  message: string
}

type Window = RefusedAttempt & { id: string; startedAt: number; lastAt: number; more: number }

export type RefusalsOptions = {
  db: Database
  now: () => number
  newId: () => string
  log: OriginLog
}

/**
 * Logs refused attempts. The first attempt of a key at an operation is logged at once. Further attempts within an hour
 * are counted, and logged as one entry when the hour ends, so that a flood of attempts cannot fill the log.
 */
export class Refusals {
  readonly #options: RefusalsOptions
  readonly #windows = new Map<string, Window>()
  /** First attempts of each account in the current clock hour. */
  readonly #firstEntries = new Map<string, number>()
  #hour = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(options: RefusalsOptions) {
    this.#options = options
  }

  /** Never throws. The response does not wait for the entry. */
  record(attempt: RefusedAttempt): void {
    const { now, newId } = this.#options
    const { accountHash, operation, actor } = attempt.context
    const key = JSON.stringify([accountHash, operation, actor, attempt.code])
    const window = this.#windows.get(key)
    const at = now()
    if (window && at - window.startedAt < HOUR_MS) {
      window.more++
      window.lastAt = at
      return
    }
    if (window) this.#end(key, window)
    if (!this.#takeFirstEntry(accountHash, at)) return
    const [oldest] = this.#windows.size >= WINDOWS_MAX ? this.#windows : []
    if (oldest) this.#end(...oldest)
    const next = { ...attempt, id: newId(), startedAt: at, lastAt: at, more: 0 }
    this.#windows.set(key, next)
    this.#write(firstEntry(next))
  }

  /** Writes the counts of windows that have ended. */
  flush(): Promise<void> {
    const at = this.#options.now()
    for (const [key, window] of this.#windows)
      if (at - window.startedAt >= HOUR_MS) this.#end(key, window)
    return this.#writing
  }

  /** Writes all counts. */
  close(): Promise<void> {
    for (const [key, window] of this.#windows) this.#end(key, window)
    return this.#writing
  }

  #takeFirstEntry(accountHash: string, at: number): boolean {
    const hour = Math.floor(at / HOUR_MS)
    if (hour !== this.#hour) this.#firstEntries.clear()
    this.#hour = hour
    const count = this.#firstEntries.get(accountHash) ?? 0
    if (count >= FIRST_ENTRIES_PER_HOUR) return false
    this.#firstEntries.set(accountHash, count + 1)
    return true
  }

  #end(key: string, window: Window): void {
    this.#windows.delete(key)
    if (window.more > 0) this.#write(countEntry(window))
  }

  #write(entry: NewEntry): void {
    const { db, now, log } = this.#options
    this.#writing = this.#writing.then(async () => {
      try {
        await appendEntry(db, entry, new Date(now()))
      } catch (error) {
        log('audit.refusal_lost', { cause: errorTrace(error) })
      }
    })
  }
}

function firstEntry({ id, context, code, message }: Window): NewEntry {
  return {
    context,
    sourceId: `refused/${id}`,
    outcome: 'refused',
    subject: {},
    details: { code, message: storableText(message.slice(0, MESSAGE_MAX)) },
  }
}

function countEntry({ id, context, code, more, startedAt, lastAt }: Window): NewEntry {
  return {
    context: { ...context, requestId: null, clientAddress: null },
    sourceId: `refused/${id}/more`,
    outcome: 'refused',
    subject: {},
    details: {
      code,
      more_attempts: more,
      from: new Date(startedAt).toISOString(),
      until: new Date(lastAt).toISOString(),
    },
  }
}
