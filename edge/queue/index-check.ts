import { DAY_MS, HOUR_MS } from '../../shared/durations.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import type { TriggerState } from './trigger-state.ts'

type IndexCheckOptions = {
  state: Pick<TriggerState, 'current' | 'updateFields' | 'reindex'>
  indexedVersion: (triggerId: string) => Promise<number | undefined>
  write: () => Promise<void>
  /** Time at which D1 was restored, in Unix milliseconds. Checks from before that time no longer count. */
  restoredAt: () => number | undefined
  log: (event: string, facts: Record<string, string | number>) => void
}

const CHECK_INTERVAL_MS = DAY_MS
const RETRY_MS = HOUR_MS

/**
 * Checks once a day that the D1 index contains the trigger's row. The scanner finds rows that are out of date, but only
 * the trigger's object can notice a missing row. Rows can be missing after the index was restored from an old backup, or
 * was lost; then each object checks its row as soon as it is awake.
 */
export class IndexCheck {
  readonly #options: IndexCheckOptions

  constructor(options: IndexCheckOptions) {
    this.#options = options
  }

  runDue(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    const trigger = this.#options.state.current
    if (!trigger) return undefined
    const due = trigger.indexCheckedAt + CHECK_INTERVAL_MS
    if (now < due && !this.#isOutdated(trigger.indexCheckedAt, now)) return due
    keepAlive(this.#check(trigger.triggerId, now))
    return now + RETRY_MS
  }

  #isOutdated(checkedAt: number, now: number): boolean {
    const restoredAt = this.#options.restoredAt()
    return restoredAt !== undefined && checkedAt < restoredAt && restoredAt <= now
  }

  async #check(triggerId: string, now: number): Promise<void> {
    const { state, indexedVersion, write, log } = this.#options
    try {
      const version = await indexedVersion(triggerId)
      // If the trigger was deleted during the query, a missing row is correct.
      if (!state.current) return
      state.updateFields({ indexCheckedAt: now })
      if (version === state.current.version) return
      state.reindex(version ?? 0)
      await write()
    } catch (error) {
      log('index.unchecked', { reason: rootCauseText(error) })
    }
  }
}
