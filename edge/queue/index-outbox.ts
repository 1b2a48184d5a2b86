import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import type { Sleep } from '../sleep.ts'
import { StateOutbox } from './state-outbox.ts'
import type { TriggerState } from './trigger-state.ts'

type IndexOutboxOptions = {
  state: Pick<TriggerState, 'row' | 'markIndexed'>
  now: () => number
  sleep: Sleep
  record: () => TriggerRecord
  /** Writes the row, unless the index already has a newer version. */
  put: (ownerId: string, record: TriggerRecord, version: number) => Promise<void>
  drop: (triggerId: string) => Promise<void>
  /** Called after the index row of a deleted trigger has been removed. The object's storage can then be deleted. */
  dropped: () => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps a trigger's row in D1 up to date. Every change of the trigger also sets `index_stale`, so that the alarm can
 * complete an interrupted update (`docs/decisions/0019`).
 */
export class IndexOutbox extends StateOutbox {
  readonly #options: IndexOutboxOptions

  constructor(options: IndexOutboxOptions) {
    super(options)
    this.#options = options
  }

  protected override isPending(): boolean {
    return this.#options.state.row?.indexStale === true
  }

  protected override recordFailure(reason: string, failures: number): void {
    this.#options.log('index.failed', { reason, failures })
  }

  protected override async deliver(): Promise<void> {
    const { state, record, put, drop, dropped } = this.#options
    const { triggerId, ownerId, version, removedAt } = state.row!
    if (removedAt === null) {
      await this.callReceiver(put(ownerId, record(), version))
      state.markIndexed(version)
      return
    }
    await this.callReceiver(drop(triggerId))
    // An earlier write that has not been answered yet could still restore the row, and nothing would delete the row
    // again.
    if (this.hasUnresolvedCalls) throw new Error('an earlier write is still in flight')
    await dropped()
  }
}
