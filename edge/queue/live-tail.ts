import type { LogLine } from '../../shared/wire/log-line.ts'
import { LOGS_RUNS_MAX } from '../../shared/wire/sealed-logs.ts'
import type { Tail } from '../../shared/wire/tail.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'
import { RunWaiters } from './run-waiters.ts'

/** Interval at which the output of runs in progress is requested while somebody waits for it. */
const POLL_MS = 1_000

/** Time without a reader after which output is no longer collected. */
const READ_WITHIN_MS = 30_000

/** Output in memory. The oldest lines are dropped: readers find them in the records of the runs. */
const CHARACTERS_MAX = 1024 * 1024
const LINES_MAX = 5_000

/** Maximum lines in one response. */
const RESPONSE_LINES_MAX = 1_000

const ANYTHING = 'anything'

type SequencedLine = Tail['lines'][number] & { sequence: number }

export type RunAttempt = { id: string; attempt: number }

type LiveTailOptions = {
  origin: Pick<SealedOrigin, 'logs'>
  /** Oldest first. */
  runsInProgress: (limit: number) => RunAttempt[]
  isInProgress: (runId: string) => boolean
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/**
 * Tells readers that runs were queued or have ended, and passes on console output. Collects output only while there are
 * readers. Everything is in memory only: after a restart of the object, cursors are unknown, and readers list the runs
 * again.
 */
export class LiveTail {
  readonly #options: LiveTailOptions
  readonly #incarnation = crypto.randomUUID().slice(0, 8)
  readonly #waiters = new RunWaiters()
  #changes = 0
  #lines: SequencedLine[] = []
  #lastSequence = 0
  #characters = 0
  /** Number of lines received of runs in progress, by run ID. */
  readonly #received = new Map<string, { attempt: number; lines: number }>()
  #readAt = Number.NEGATIVE_INFINITY
  #isPolling = false

  constructor(options: LiveTailOptions) {
    this.#options = options
  }

  /** Called when a run was queued, or has ended without output. */
  recordChange(): void {
    this.#changes++
    this.#waiters.notifyAll()
  }

  recordEnd(run: RunAttempt, logs: readonly LogLine[]): void {
    if (this.#hasReaders()) {
      const from = this.#receivedOf(run)
      this.#received.delete(run.id)
      this.#add(run, from, logs.slice(from))
    }
    this.recordChange()
  }

  /** Returns what is new since `after`, a cursor, and waits for it if there is nothing yet. */
  async read(after: string | undefined, waitMs: number): Promise<Tail> {
    if (!this.#hasReaders()) this.#clear()
    this.#readAt = this.#options.now()
    const from = after === undefined ? undefined : this.#parse(after)
    if (!from) return { cursor: this.#cursor(this.#start()), changed: true, lines: [] }
    if (waitMs > 0 && !this.#isNew(from)) {
      const isWoken = this.#waiters.wait(ANYTHING, waitMs)
      void this.#poll()
      await isWoken
      this.#readAt = this.#options.now()
    }
    const lines = this.#lines
      .filter(({ sequence }) => sequence > from.sequence)
      .slice(0, RESPONSE_LINES_MAX)
    return {
      cursor: this.#cursor(lines.at(-1)?.sequence ?? from.sequence),
      changed: from.changes !== this.#changes,
      lines: lines.map(({ sequence: _sequence, ...line }) => line),
    }
  }

  /** Called when the trigger has been deleted. */
  wakeAll(): void {
    this.#waiters.notifyAll()
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      while (this.#waiters.size > 0) {
        await this.#pollOnce()
        await this.#options.sleep(POLL_MS)
      }
    } finally {
      this.#isPolling = false
    }
  }

  async #pollOnce(): Promise<void> {
    const { isInProgress, origin, runsInProgress } = this.#options
    const running = runsInProgress(LOGS_RUNS_MAX)
    if (running.length === 0) return
    const runs = running.map((run) => ({ run_id: run.id, from: this.#receivedOf(run) }))
    // Without an answer, the output follows when the run has ended.
    const response = await origin.logs({ runs }).catch(() => undefined)
    if (response?.state !== 'known') return
    for (const [at, run] of running.entries()) {
      const { from } = runs[at]!
      const lines = response.lines[run.id] ?? []
      if (lines.length === 0 || !isInProgress(run.id)) continue
      this.#received.set(run.id, { attempt: run.attempt, lines: from + lines.length })
      this.#add(run, from, lines)
      this.#waiters.notifyAll()
    }
  }

  #add({ id, attempt }: RunAttempt, from: number, lines: readonly LogLine[]): void {
    for (const [at, line] of lines.entries()) {
      this.#characters += line.text.length
      const sequence = ++this.#lastSequence
      this.#lines.push({ sequence, run_id: id, attempt, index: from + at, ...line })
    }
    let dropped = 0
    while (this.#characters > CHARACTERS_MAX || this.#lines.length - dropped > LINES_MAX)
      this.#characters -= this.#lines[dropped++]!.text.length
    if (dropped > 0) this.#lines = this.#lines.slice(dropped)
  }

  #receivedOf({ id, attempt }: RunAttempt): number {
    const received = this.#received.get(id)
    return received?.attempt === attempt ? received.lines : 0
  }

  /** Returns the position of a new reader: before the output of runs in progress. */
  #start(): number {
    const first = this.#lines.find(({ run_id }) => this.#received.has(run_id))
    return (first?.sequence ?? this.#lastSequence + 1) - 1
  }

  #hasReaders(): boolean {
    return this.#waiters.size > 0 || this.#options.now() - this.#readAt < READ_WITHIN_MS
  }

  #clear(): void {
    this.#lines = []
    this.#characters = 0
    this.#received.clear()
  }

  #isNew({ changes, sequence }: Position): boolean {
    return changes !== this.#changes || sequence < (this.#lines.at(-1)?.sequence ?? 0)
  }

  #cursor(sequence: number): string {
    return `${this.#incarnation}.${this.#changes}.${sequence}`
  }

  #parse(cursor: string): Position | undefined {
    const [incarnation, changes, sequence] = cursor.split('.')
    if (incarnation !== this.#incarnation) return undefined
    return { changes: Number(changes), sequence: Number(sequence) }
  }
}

type Position = { changes: number; sequence: number }
