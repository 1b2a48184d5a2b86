import type { WaitingFor } from '../../shared/wire/trigger.ts'
import { Hold } from './hold.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { Wait } from './waits.ts'

/** A resource that a run can lack before it starts. */
export type Shortage = Exclude<WaitingFor, 'origin'>

type Refused = {
  /** The usage key that was refused. Another key may have what this one lacks. */
  usageKey: number
  shortage: Shortage
  wait: Wait
}

/** A placeholder: run sequences start at 1. */
const NO_RUN = 0

/**
 * Holds back runs that the origin would refuse for lack of credit or allowance (`docs/decisions/0020`,
 * `docs/decisions/0024`). Credit and the spending cap apply to all runs under a key. The allowance for failed runs
 * applies to one key and action, so runs of other revisions continue: a fixed action does not wait for the allowance
 * that the broken one has used up.
 */
export class CreditHolds {
  #usageKey: number | undefined
  readonly #ofKey = new Hold()
  #keyLacks: Shortage = 'payment'
  /** Holds on actions, by revision. */
  readonly #ofRevisions = new Map<number, Hold>()

  /** Restores the holds after eviction, from the waits that are stored with the refused runs. */
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

  /** Returns when runs may be sent under this key, whatever their revision. */
  opensAt(usageKey: number, now: number): number {
    this.#changeKey(usageKey)
    return this.#ofKey.opensAt(now)
  }

  /** Returns the revisions on hold, and when the first of them opens; Infinity while all of them wait for a probe. */
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
   * Records that a run was refused before it started.
   * @returns when the next probe is due
   */
  refused({ sequence, revision }: LiveRun, { usageKey, shortage, wait }: Refused): number {
    this.#changeKey(usageKey)
    if (shortage === 'failed_execution_allowance') {
      // The origin checks the key first, so the key itself has credit.
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

  /** Returns the shortage to show to the trigger's owner; null if no queued run is on hold. */
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

  /** Drops all holds if the key has changed: a shortage of an earlier key does not apply to the new one. */
  #changeKey(usageKey: number): void {
    if (this.#usageKey === usageKey) return
    this.#usageKey = usageKey
    this.#ofKey.lift()
    this.#ofRevisions.clear()
  }
}
