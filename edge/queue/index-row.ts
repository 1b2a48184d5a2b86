import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import type { TriggerState } from './trigger-state.ts'

export type IndexRowOptions = {
  state: TriggerState
  /** The record of the trigger as it is now. */
  record(): TriggerRecord
  /** Writes the row unless it has a newer version already. */
  put(ownerId: string, record: TriggerRecord, version: number): Promise<void>
  /** Deletes the row. */
  drop(triggerId: string): Promise<void>
  /** After the row of a deleted trigger is gone: nothing needs to be remembered any more. */
  dropped(): Promise<void>
  log(event: string, facts: Record<string, string | number>): void
}

/** An index that could not be written is tried again after this. */
const RETRY_MS = 5_000

/**
 * Keeps a trigger's row in D1 as the object says it is. The object is written first, with a note that the index
 * is stale; whoever is killed in between, the alarm finds the note (`decisions.md`, Truth).
 */
export class IndexRow {
  readonly #options: IndexRowOptions
  #writing: Promise<void> | undefined

  constructor(options: IndexRowOptions) {
    this.#options = options
  }

  /** Tells the index, if it has to be told. It never fails its caller: the alarm tries again. */
  async write(): Promise<void> {
    while (this.#options.state.row?.indexStale) {
      const mine = (this.#writing ??= this.#writeOnce().finally(() => (this.#writing = undefined)))
      try {
        await mine
      } catch (error) {
        this.#options.log('index.failed', { reason: String(error).slice(0, 200) })
        return
      }
    }
  }

  /** The alarm's part. @returns when to look again */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    if (!this.#options.state.row?.indexStale) return undefined
    keepAlive(this.write())
    return now + RETRY_MS
  }

  async #writeOnce(): Promise<void> {
    const { state } = this.#options
    const row = state.row
    if (!row) return
    if (row.removedAt === null) {
      await this.#options.put(row.ownerId, this.#options.record(), row.version)
      state.indexed(row.version)
      return
    }
    await this.#options.drop(row.triggerId)
    await this.#options.dropped()
  }
}
