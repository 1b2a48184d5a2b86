import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import { Telling } from './telling.ts'
import type { TriggerState } from './trigger-state.ts'

export type IndexRowOptions = {
  state: Pick<TriggerState, 'row' | 'indexed'>
  now: () => number
  /** Resolves after this time, or when `ended` is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  record: () => TriggerRecord
  /** Writes the row unless the index already has a newer version. */
  put: (ownerId: string, record: TriggerRecord, version: number) => Promise<void>
  drop: (triggerId: string) => Promise<void>
  /** Called when the row of a deleted trigger has been removed, and the object's storage can be deleted. */
  dropped: () => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps a trigger's row in D1 up to date. Each change of the object also sets `index_stale`, so that the alarm
 * completes an update that was interrupted (`docs/decisions/0019`).
 */
export class IndexRow {
  readonly #options: IndexRowOptions
  readonly #telling: Telling

  constructor(options: IndexRowOptions) {
    this.#options = options
    const { log, now, sleep, state } = options
    this.#telling = new Telling({
      isOwed: () => state.row?.indexStale === true,
      tell: () => this.#writeOnce(),
      failed: (reason, failures) => log('index.failed', { reason, failures }),
      now,
      sleep,
    })
  }

  /** Writes the row if an update is pending, and waits for it briefly. Never throws. */
  write(): Promise<void> {
    return this.#telling.now()
  }

  /**
   * Alarm task.
   * @returns when to call it again
   */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    return this.#telling.tend(now, keepAlive)
  }

  async #writeOnce(): Promise<void> {
    const { state, record, put, drop, dropped } = this.#options
    const { triggerId, ownerId, version, removedAt } = state.row!
    if (removedAt === null) {
      await this.#telling.orGivenUp(put(ownerId, record(), version))
      state.indexed(version)
      return
    }
    await this.#telling.orGivenUp(drop(triggerId))
    // A write without a response yet could restore the row later, and nothing would delete it again.
    if (this.#telling.isUnsettled) throw new Error('an earlier write has not been answered')
    await dropped()
  }
}
