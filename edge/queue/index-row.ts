import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import { Telling } from './telling.ts'
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

/**
 * Keeps a trigger's row in D1 as the object says it is. The object is written first, with a note that the index
 * is stale; whoever is killed in between, the alarm finds the note (`decisions.md`, Truth).
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

  /** Tells the index, if it has to be told, for as long as an answer can wait for it. It never fails its caller. */
  write(): Promise<void> {
    return this.#telling.now()
  }

  /** The alarm's part. @returns when to look again */
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
    // It could bring the row back, and then nobody would know to drop it again.
    if (this.#telling.isUnsettled) throw new Error('an earlier write has not been answered')
    await dropped()
  }
}
