import { causeOf } from '../db/cause-of.ts'
import type { TriggerState } from './trigger-state.ts'

export type IndexCheckOptions = {
  state: Pick<TriggerState, 'current' | 'note' | 'reindex'>
  /** The version of a trigger's row in the index; `undefined` where it has none. */
  indexed: (triggerId: string) => Promise<number | undefined>
  /** Tells the index. */
  write: () => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

const CHECKED_AGAIN_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 60 * 60 * 1000

/**
 * Looks once a day whether the index has the trigger's row. The scanner finds rows that are wrong, but nobody else
 * knows of one that is not there: an index that was restored to an earlier day heals from here.
 */
export class IndexCheck {
  readonly #options: IndexCheckOptions

  constructor(options: IndexCheckOptions) {
    this.#options = options
  }

  /** The alarm's part. @returns when to look again */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    const trigger = this.#options.state.current
    if (!trigger) return undefined
    const due = trigger.indexCheckedAt + CHECKED_AGAIN_MS
    if (now < due) return due
    keepAlive(this.#check(trigger.triggerId, now))
    return now + RETRY_MS
  }

  async #check(triggerId: string, now: number): Promise<void> {
    const { state, indexed, write, log } = this.#options
    try {
      const version = await indexed(triggerId)
      // Deleted meanwhile: that it has no row is as it should be.
      if (!state.current) return
      state.note({ indexCheckedAt: now })
      if (version === state.current.version) return
      state.reindex(version ?? 0)
      await write()
    } catch (error) {
      log('index.unchecked', { reason: causeOf(error) })
    }
  }
}
