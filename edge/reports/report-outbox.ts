import type { RunActivity } from '../queue/run-activity.ts'
import { StateOutbox } from '../queue/state-outbox.ts'
import type { TriggerState } from '../queue/trigger-state.ts'
import type { Sleep } from '../sleep.ts'
import type { PendingReports } from './pending-reports.ts'
import type { ReportsObject } from './reports-object.ts'

type ReportOutboxOptions = {
  state: Pick<TriggerState, 'row'>
  pending: PendingReports
  activity: Pick<RunActivity, 'isDue' | 'next' | 'acknowledge' | 'recordFailure'>
  receiver: (ownerId: string) => Pick<ReportsObject, 'report' | 'forget'>
  now: () => number
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

const REPORTS_PER_CALL = 500

/** The alarm sends the reports if the object is evicted before the call. */
export const REPORT_ALARM_MS = 5_000

/**
 * Sends the pending reports and the activity of a trigger to the object of its owner. A deleted trigger sends only reports of
 * changes; its other reports are deleted instead.
 */
export class ReportOutbox extends StateOutbox {
  readonly #options: ReportOutboxOptions
  #isForgotten = false

  constructor(options: ReportOutboxOptions) {
    super(options)
    this.#options = options
  }

  /**
   * Called before the storage of a deleted trigger is erased.
   * @throws {Error} if the owner's object may still have reports of the trigger
   */
  async forgetOrThrow(): Promise<void> {
    await this.flush()
    if (this.isPending()) throw new Error('the reports of the trigger are not deleted yet')
  }

  protected override isPending(): boolean {
    const { activity, pending, state } = this.#options
    if (!state.row) return false
    if (state.row.removedAt !== null) return !this.#isForgotten
    return pending.any() || activity.isDue()
  }

  protected override recordFailure(reason: string, failures: number): void {
    this.#options.log('report.failed', { reason, failures })
  }

  protected override async deliver(): Promise<void> {
    const { activity, pending, receiver, state } = this.#options
    const { createdAt: epoch, name, ownerId, removedAt, triggerId } = state.row!
    if (removedAt !== null) {
      // An earlier call that has not been answered yet could still store reports after the deletion.
      if (this.hasUnresolvedCalls) throw new Error('an earlier report is still in flight')
      const changes = pending.changesOfDeleted()
      const last = changes.at(-1)
      if (last) {
        await this.callReceiver(
          receiver(ownerId)
            .report({ triggerId, epoch, name, reports: changes })
            .then(() => undefined),
        )
        // Must precede `forget`, after which the receiver would not deduplicate them.
        pending.dropThrough(last.number)
      }
      await this.callReceiver(receiver(ownerId).forget(triggerId))
      this.#isForgotten = true
      return
    }
    const reports = pending.oldest(REPORTS_PER_CALL)
    const last = reports.at(-1)
    if (!last) pending.markEmpty()
    const report = activity.isDue() ? activity.next() : undefined
    if (!last && !report) return
    try {
      const call = receiver(ownerId).report({ triggerId, epoch, name, reports, activity: report })
      await this.callReceiver(
        Promise.resolve(call).then(({ knownThrough }) => {
          if (report && knownThrough !== null) activity.acknowledge(report, knownThrough)
        }),
      )
    } catch (error) {
      if (report) activity.recordFailure()
      throw error
    }
    if (last && state.row?.removedAt === null) pending.dropThrough(last.number)
  }
}
