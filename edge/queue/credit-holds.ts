import type { WaitingFor } from '../../shared/wire/trigger.ts'
import { Hold } from './hold.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { Wait } from './waits.ts'

/** What a run can lack before it begins. */
export type Shortage = Exclude<WaitingFor, 'origin'>

type Refused = {
  /** The usage key that was refused: another one may have what is missing. */
  usageKey: number
  shortage: Shortage
  wait: Wait
}

/** Runs count from 1. */
const NO_RUN = 0

/**
 * What holds a trigger's runs back that may not begin (`decisions.md`, 402 and failed-execution allowance). Credit and
 * a key's cap are missing for every run under the key; the allowance for failures is of one key and one action, so that
 * runs of other revisions go on: whoever mends an action need not wait for what the broken one has used up.
 */
export class CreditHolds {
  #usageKey: number | undefined
  readonly #ofKey = new Hold()
  /** What the key was refused for last. */
  #keyLacks: Shortage = 'payment'
  /** Of actions, by the revision that has them. */
  readonly #ofRevisions = new Map<number, Hold>()

  /** What an earlier life of the object knew, by what it wrote to the runs that were refused. */
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

  /** When a run of any revision may be sent under this key. */
  opensAt(usageKey: number, now: number): number {
    this.#changeKey(usageKey)
    return this.#ofKey.opensAt(now)
  }

  /** Revisions whose runs may not be sent now, and when the next of them may; infinite where an answer decides. */
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

  /** A run was refused before it began. @returns when its like is looked at again */
  refused({ sequence, revision }: LiveRun, { usageKey, shortage, wait }: Refused): number {
    this.#changeKey(usageKey)
    if (shortage === 'failed_execution_allowance') {
      // The origin looks at the key first: that one has what the others need.
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

  /** What the trigger's owner is told; null where nothing is held that is queued. */
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

  /** What was missing under an earlier key is none of this one's business. */
  #changeKey(usageKey: number): void {
    if (this.#usageKey === usageKey) return
    this.#usageKey = usageKey
    this.#ofKey.lift()
    this.#ofRevisions.clear()
  }
}
