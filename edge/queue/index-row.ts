import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import { causeOf } from '../db/cause-of.ts'
import type { TriggerState } from './trigger-state.ts'

export type IndexRowOptions = {
  state: Pick<TriggerState, 'row' | 'indexed'>
  now: () => number
  /** Returns after this time, or once nobody waits for it any more. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  /** The record of the trigger as it is now. */
  record: () => TriggerRecord
  /** Writes the row unless it has a newer version already. */
  put: (ownerId: string, record: TriggerRecord, version: number) => Promise<void>
  /** Deletes the row. */
  drop: (triggerId: string) => Promise<void>
  /** After the row of a deleted trigger is gone: nothing needs to be remembered any more. */
  dropped: () => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/** An index that could not be written is tried again after this, and then after twice as long, up to a minute. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

/** Nobody waits longer for the index: the object has what was asked for, and the alarm goes on. */
const WAIT_MS = 2_000

/** A write that has not been answered by then is given up. */
const GIVE_UP_MS = 15_000

/**
 * Keeps a trigger's row in D1 as the object says it is. The object is written first, with a note that the index
 * is stale; whoever is killed in between, the alarm finds the note (`decisions.md`, Truth). There is one writer at a
 * time, and it goes on until the note is gone, so that changes that come meanwhile share its next round.
 */
export class IndexRow {
  readonly #options: IndexRowOptions
  #writing: Promise<void> | undefined
  /** Writes that were given up and may still reach the index. */
  #unsettled = 0
  #failures = 0
  #retryAt = 0

  constructor(options: IndexRowOptions) {
    this.#options = options
  }

  /** Tells the index, if it has to be told, for as long as an answer can wait for it. It never fails its caller. */
  async write(): Promise<void> {
    const told = this.#tell()
    if (told) await this.#atMost(WAIT_MS, told)
  }

  /** The alarm's part. @returns when to look again */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#options.state.row?.indexStale) return undefined
    // A clock that was set back must not postpone it.
    const waits = now < this.#retryAt && this.#retryAt <= now + RETRY_MAX_MS
    if (waits) return this.#retryAt
    const told = this.#tell()
    if (told) keepAlive(told)
    return now + RETRY_MS
  }

  #tell(): Promise<void> | undefined {
    if (!this.#options.state.row?.indexStale) return undefined
    return (this.#writing ??= this.#writeUntilTold())
  }

  async #writeUntilTold(): Promise<void> {
    const { state, now, log } = this.#options
    try {
      while (state.row?.indexStale) await this.#writeOnce()
      this.#failures = 0
    } catch (error) {
      this.#failures++
      this.#retryAt = now() + Math.min(RETRY_MS * 2 ** (this.#failures - 1), RETRY_MAX_MS)
      log('index.failed', { reason: causeOf(error), failures: this.#failures })
    } finally {
      // At once, in the same step as the last look at the note: who comes next begins anew.
      this.#writing = undefined
    }
  }

  async #writeOnce(): Promise<void> {
    const { state, record, put, drop, dropped } = this.#options
    const { triggerId, ownerId, version, removedAt } = state.row!
    if (removedAt === null) {
      await this.#orGivenUp(put(ownerId, record(), version))
      state.indexed(version)
      return
    }
    await this.#orGivenUp(drop(triggerId))
    // It could bring the row back, and then nobody would know to drop it again.
    if (this.#unsettled > 0) throw new Error('an earlier write has not been answered')
    await dropped()
  }

  async #orGivenUp(writing: Promise<void>): Promise<void> {
    this.#unsettled++
    const settled = writing.finally(() => this.#unsettled--)
    settled.catch(() => {})
    if (!(await this.#atMost(GIVE_UP_MS, settled))) throw new Error('no answer')
  }

  /** @returns whether the work ended in time */
  async #atMost(ms: number, work: Promise<void>): Promise<boolean> {
    const ended = new AbortController()
    const inTime = work.then(() => true)
    const tooLate = this.#options.sleep(ms, ended.signal).then(() => false)
    try {
      return await Promise.race([inTime, tooLate])
    } finally {
      ended.abort()
    }
  }
}
