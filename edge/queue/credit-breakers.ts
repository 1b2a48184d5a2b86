import type { WaitingFor } from '../../shared/wire/trigger.ts'
import type { Deadline } from '../../shared/deadline.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import { CircuitBreaker } from '../../shared/circuit-breaker.ts'

/**
 * Circuit breaker for runs that the origin would refuse to start. When the wait is over, one run is sent as a half-open
 * probe, because sending more runs would only repeat the refusal. Calls are identified by the sequence numbers of their
 * runs.
 */
class ShortageBreaker extends CircuitBreaker<number> {
  /**
   * Records a refusal. Refusals of runs that were in flight together count as one.
   * @returns true if the circuit breaker now applies `wait`, false if it still applies the wait of an earlier refusal
   */
  recordRefusal(run: number, wait: Deadline): boolean {
    if (!this.isProbe(run) && !this.isWaitOver(wait.since)) return false
    this.open(wait)
    return true
  }

  recordStart(run: number): void {
    if (this.isProbe(run)) this.close()
  }
}

export type CreditShortage = Exclude<WaitingFor, 'origin'>

type ShortageRefusal = {
  /** ID of the usage key that the origin refused. Other usage keys may not have the same shortage. */
  usageKey: number
  shortage: CreditShortage
  wait: Deadline
}

/**
 * Sequence number for a refusal that is restored from storage. No run has this number, because runs are numbered from
 * 1.
 */
const NO_RUN = 0

/**
 * Circuit breakers for runs that the origin would refuse for lack of credit or allowance (`docs/decisions/0020`,
 * `docs/decisions/0024`). A lack of credit, an exhausted spending cap or another limit of the key blocks all runs under a usage key. The
 * allowance for failed runs applies to one key and action, so failures of a broken version of an action do not block
 * its fixed version.
 */
export class CreditBreakers {
  #usageKey: number | undefined
  readonly #keyBreaker = new ShortageBreaker()
  #keyShortage: CreditShortage = 'payment'
  readonly #revisionBreakers = new Map<number, ShortageBreaker>()

  /** Restores the circuit breakers after an eviction, from the wait times that are stored with the refused runs. */
  load(usageKey: number, live: Pick<LiveRuns, 'longestWait' | 'allowanceWaits'>): void {
    this.#setKey(usageKey)
    for (const shortage of ['payment', 'spend_cap', 'key_limit'] as const) {
      const wait = live.longestWait(shortage)
      if (!wait || (this.#keyBreaker.isTripped && wait.until <= this.#keyBreaker.until)) continue
      this.#keyBreaker.close()
      this.#keyBreaker.recordRefusal(NO_RUN, wait)
      this.#keyShortage = shortage
    }
    for (const { revision, ...wait } of live.allowanceWaits())
      this.#revisionBreaker(revision).recordRefusal(NO_RUN, wait)
  }

  /** Some revisions may be blocked for longer. */
  allowedAt(usageKey: number, now: number): number {
    this.#setKey(usageKey)
    return this.#keyBreaker.allowedAt(now)
  }

  /** Returns true if neither the key nor any revision has a shortage. */
  isClear(usageKey: number): boolean {
    this.#setKey(usageKey)
    return !this.#keyBreaker.isTripped && this.#revisionBreakers.size === 0
  }

  /**
   * Returns the blocked revisions, and the earliest time at which one of them may be probed. The time is Infinity if no
   * revision is blocked, or if each blocked revision has a probe in flight.
   */
  blocked(now: number): { revisions: number[]; until: number } {
    const blocked = [...this.#revisionBreakers].filter(
      ([, breaker]) => breaker.allowedAt(now) > now,
    )
    return {
      revisions: blocked.map(([revision]) => revision),
      until: Math.min(
        Number.POSITIVE_INFINITY,
        ...blocked.map(([, breaker]) => breaker.allowedAt(now)),
      ),
    }
  }

  recordSent({ sequence, revision }: LiveRun): void {
    this.#keyBreaker.recordSent(sequence)
    this.#revisionBreakers.get(revision)?.recordSent(sequence)
  }

  recordDone({ sequence, revision }: LiveRun): void {
    this.#keyBreaker.recordDone(sequence)
    this.#revisionBreakers.get(revision)?.recordDone(sequence)
  }

  /** @returns the time at which the next probe may be sent */
  recordRefusal(
    { sequence, revision }: LiveRun,
    { usageKey, shortage, wait }: ShortageRefusal,
  ): number {
    this.#setKey(usageKey)
    if (shortage === 'failed_execution_allowance') {
      // The origin checks the usage key before the failure allowance, so this refusal shows that the key has no
      // shortage.
      this.#keyBreaker.recordStart(sequence)
      const breaker = this.#revisionBreaker(revision)
      breaker.recordRefusal(sequence, wait)
      return breaker.until
    }
    if (this.#keyBreaker.recordRefusal(sequence, wait)) this.#keyShortage = shortage
    return this.#keyBreaker.until
  }

  recordStart({ sequence, revision }: LiveRun): void {
    this.#keyBreaker.recordStart(sequence)
    const breaker = this.#revisionBreakers.get(revision)
    breaker?.recordStart(sequence)
    if (breaker?.isTripped === false) this.#revisionBreakers.delete(revision)
  }

  waitingFor(live: Pick<LiveRuns, 'anyQueued' | 'anyQueuedOf'>): CreditShortage | null {
    if (this.#keyBreaker.isTripped && live.anyQueued()) return this.#keyShortage
    const revisions = [...this.#revisionBreakers.keys()]
    const isHeld = revisions.length > 0 && live.anyQueuedOf(revisions)
    return isHeld ? 'failed_execution_allowance' : null
  }

  #revisionBreaker(revision: number): ShortageBreaker {
    const breaker = this.#revisionBreakers.get(revision) ?? new ShortageBreaker()
    this.#revisionBreakers.set(revision, breaker)
    return breaker
  }

  /**
   * Closes all circuit breakers if the usage key has changed, because a shortage of the old key does not affect the new
   * one.
   */
  #setKey(usageKey: number): void {
    if (this.#usageKey === usageKey) return
    this.#usageKey = usageKey
    this.#keyBreaker.close()
    this.#revisionBreakers.clear()
  }
}
