import type { WaitingFor } from '../../shared/wire/trigger.ts'
import { Hold } from './hold.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { Wait } from './waits.ts'

/** A resource that a run can lack, so that the origin refuses to start it. */
export type Shortage = Exclude<WaitingFor, 'origin'>

type Refused = {
  /** Key that the origin refused. A different key may not have the same shortage. */
  usageKey: number
  shortage: Shortage
  wait: Wait
}

/** Sequence numbers start at 1. */
const NO_RUN = 0

/**
 * Holds back runs that the origin would refuse for lack of credit or allowance (`docs/decisions/0020`,
 * `docs/decisions/0024`). Credit and the spending cap apply to all runs under a usage key. The allowance for failed
 * runs applies to one key and action, so a fixed version of an action is not held back by the failures of the broken
 * one.
 */
export class CreditHolds {
  #usageKey: number | undefined
  readonly #ofKey = new Hold()
  #keyLacks: Shortage = 'payment'
  /** Exhausted failure allowances, by action revision. */
  readonly #ofRevisions = new Map<number, Hold>()

  /** Restores the holds after an eviction, from the wait times that are stored with the refused runs. */
  load(usageKey: number, live: Pick<LiveRuns, 'waitFor' | 'allowanceWaits'>): void {
    this.#changeKey(usageKey)
    for (const shortage of ['payment', 'spend_cap'] as const) {
      const wait = live.waitFor(shortage)
      if (!wait || (this.#ofKey.holding && wait.until <= this.#ofKey.until)) continue
      this.#ofKey.lift()
      this.#ofKey.refused(NO_RUN, wait)
      this.#keyLacks = shortage
    }
    for (const { revision, ...wait } of live.allowanceWaits())
      this.#ofRevision(revision).refused(NO_RUN, wait)
  }

  /** Earliest time at which runs of any revision may be sent under the usage key. */
  opensAt(usageKey: number, now: number): number {
    this.#changeKey(usageKey)
    return this.#ofKey.opensAt(now)
  }

  /**
   * Revisions on hold, and the end of the first hold. Infinity while every hold is waiting for the response to its
   * probe.
   */
  closed(now: number): { revisions: number[]; until: number } {
    const closed = [...this.#ofRevisions].filter(([, hold]) => hold.opensAt(now) > now)
    return {
      revisions: closed.map(([revision]) => revision),
      until: Math.min(Number.POSITIVE_INFINITY, ...closed.map(([, hold]) => hold.opensAt(now))),
    }
  }

  sent({ sequence, revision }: LiveRun): void {
    this.#ofKey.sent(sequence)
    this.#ofRevisions.get(revision)?.sent(sequence)
  }

  left({ sequence, revision }: LiveRun): void {
    this.#ofKey.left(sequence)
    this.#ofRevisions.get(revision)?.left(sequence)
  }

  /**
   * Called after the origin refused a run before it started.
   * @returns the time at which the next probe may be sent
   */
  refused({ sequence, revision }: LiveRun, { usageKey, shortage, wait }: Refused): number {
    this.#changeKey(usageKey)
    if (shortage === 'failed_execution_allowance') {
      // The origin checks the usage key before the failure allowance, so the key itself has no shortage.
      this.#ofKey.begun(sequence)
      const hold = this.#ofRevision(revision)
      hold.refused(sequence, wait)
      return hold.until
    }
    if (this.#ofKey.refused(sequence, wait)) this.#keyLacks = shortage
    return this.#ofKey.until
  }

  begun({ sequence, revision }: LiveRun): void {
    this.#ofKey.begun(sequence)
    const ofAction = this.#ofRevisions.get(revision)
    ofAction?.begun(sequence)
    if (ofAction?.holding === false) this.#ofRevisions.delete(revision)
  }

  /** Null if no queued run is on hold. */
  waitingFor(live: Pick<LiveRuns, 'anyQueued' | 'anyQueuedOf'>): Shortage | null {
    if (this.#ofKey.holding && live.anyQueued()) return this.#keyLacks
    const revisions = [...this.#ofRevisions.keys()]
    const isHeld = revisions.length > 0 && live.anyQueuedOf(revisions)
    return isHeld ? 'failed_execution_allowance' : null
  }

  #ofRevision(revision: number): Hold {
    const hold = this.#ofRevisions.get(revision) ?? new Hold()
    this.#ofRevisions.set(revision, hold)
    return hold
  }

  /** A shortage of the old key does not apply to the new one. */
  #changeKey(usageKey: number): void {
    if (this.#usageKey === usageKey) return
    this.#usageKey = usageKey
    this.#ofKey.lift()
    this.#ofRevisions.clear()
  }
}
