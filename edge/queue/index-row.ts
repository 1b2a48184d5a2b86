import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import { Telling } from './telling.ts'
import type { TriggerState } from './trigger-state.ts'

export type IndexRowOptions = {
  state: Pick<TriggerState, 'row' | 'indexed'>
  now: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  record: () => TriggerRecord
  /** Writes the row, unless the index already has a newer version. */
  put: (ownerId: string, record: TriggerRecord, version: number) => Promise<void>
  drop: (triggerId: string) => Promise<void>
  /** Called after the index row of a deleted trigger has been removed. The object's storage can be deleted then. */
  dropped: () => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps a trigger's row in D1 up to date. Every change of the trigger also sets `index_stale`, so that the alarm can
 * complete an interrupted update (`docs/decisions/0019`).
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

  /** Writes the row if an update is pending, and waits briefly for the write to finish. Never throws. */
  write(): Promise<void> {
    return this.#telling.now()
  }

  /** Alarm task: continues a pending update. */
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
    // An earlier write that has not been answered yet could still restore the row, and nothing would delete the row
    // again.
    if (this.#telling.isUnsettled) throw new Error('an earlier write is still in flight')
    await dropped()
  }
}
