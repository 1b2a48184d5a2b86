import { ORIGIN_CONNECTIONS_PER_OBJECT } from '../../shared/limits.ts'
import type { WaitingFor } from '../../shared/wire/trigger.ts'
import { causeOf } from '../db/cause-of.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'
import { type Attempted, Attempts, executedNothing } from './attempts.ts'
import type { Clearing, EndedRun } from './clearing.ts'
import { CreditHolds } from './credit-holds.ts'
import { LEASE_MS, type LiveRun, type LiveRuns } from './live-runs.ts'
import { OriginAbsence } from './origin-absence.ts'
import { OutcomePoller } from './outcome-poller.ts'
import { StartWindow } from './pace.ts'
import type { TriggerRow } from './records.ts'
import type { RunStore } from './run-store.ts'
import { Settlement } from './settlement.ts'
import { Slots } from './slots.ts'
import type { StoredStarts } from './start-log.ts'
import type { TriggerState } from './trigger-state.ts'
import { verdictOnUnsent } from './verdict.ts'

export type DispatcherOptions = {
  store: RunStore
  live: LiveRuns
  starts: StoredStarts
  clearing: Clearing
  state: TriggerState
  origin: Pick<SealedOrigin, 'execute' | 'outcomes'>
  now: () => number
  /** In [0, 1). */
  random: () => number
  /** Keeps the object in memory until the work is finished. */
  keepAlive: (work: Promise<void>) => void
  /** Ensures that the alarm fires at this time or earlier. */
  armBy: (at: number) => void
  /** Called when a run has entered (1) or left (-1) the queue. */
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  /** Called for every run that finishes, for whatever reason, after its result is stored. */
  runEnded: (run: EndedRun) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Starts the runs of one trigger within its limits, and drives each run until it finishes. The state in memory can be
 * lost at any moment: the tables show which runs were in flight, and `pump` resumes them.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #attempts: Attempts
  readonly #absence: OriginAbsence
  readonly #holds = new CreditHolds()
  readonly #settlement: Settlement
  readonly #window: StartWindow
  readonly #inFlight = new Set<number>()
  #retryAt: number | undefined
  #loaded = false
  #tookUp = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { live, log, now, origin, random, starts, state, store } = options
    this.#absence = new OriginAbsence(state)
    const waits = { absence: this.#absence, holds: this.#holds }
    this.#settlement = new Settlement({ ...options, ...waits })
    this.#window = new StartWindow(starts)
    const poller = new OutcomePoller(origin, () => this.#stillRunning())
    // One connection is reserved for the poller.
    const slots = new Slots(ORIGIN_CONNECTIONS_PER_OBJECT - 1)
    const begun = (run: LiveRun) => this.#begun(run)
    const parts = { live, log, now, origin, random, state, store }
    this.#attempts = new Attempts({ ...parts, poller, slots, begun })
  }

  /** Starts the runs that may start now, and arms the alarm for later ones. */
  pump(): void {
    const { armBy, live, now, state } = this.#options
    const trigger = state.current
    if (!trigger) return
    const at = now()
    this.#load()
    if (!this.#tookUp) this.#takeUp(at)
    if (!trigger.enabled) {
      if (this.#inFlight.size === 0) this.#absence.forget()
      return
    }
    if (this.#retryAt !== undefined && this.#retryAt <= at) this.#retryAt = live.nextRetryAt(at)
    while (this.#mayStart(trigger, at)) {
      const { revisions } = this.#holds.closed(at)
      const run = live.next(at, trigger.concurrency === 1, revisions)
      if (!run) break
      this.#start(run, at, trigger.usageKey)
    }
    const { until } = this.#holds.closed(at)
    if (until < Number.POSITIVE_INFINITY) armBy(until)
    if (this.#retryAt !== undefined) armBy(this.#retryAt)
  }

  /** Alarm task: renews the leases of the runs in flight, and resumes abandoned runs. */
  tend(): void {
    const { armBy, live, now, starts, state } = this.#options
    if (!state.current) return
    const at = now()
    // The first `pump` resumes the runs of a previous incarnation.
    if (this.#tookUp) {
      live.extendLeases(this.#inFlight, at)
      for (const run of live.abandoned(at, false)) this.#carry(run)
    }
    this.pump()
    starts.prune(at)
    live.dropUnusedKeys(state.current.usageKey)
    // Also needed for a run that is not in flight because its result could not be stored, while its lease has not
    // expired.
    if (live.anyRunning()) armBy(at + LEASE_MS)
  }

  /** Returns what the trigger's runs are waiting for, to show to its owner. */
  waitingFor(): WaitingFor | null {
    this.#load()
    const { live } = this.#options
    const isAway = this.#absence.away && live.anyQueued()
    return this.#holds.waitingFor(live) ?? (isAway ? 'origin' : null)
  }

  /**
   * Cancels a queued run.
   * @returns false if the run is not queued
   */
  cancel(sequence: number): boolean {
    const { armBy, now } = this.#options
    const cancelled = this.#settlement.cancel(sequence, now())
    // In strict order, later runs may have waited for the retry of this one.
    if (cancelled) armBy(now())
    return cancelled
  }

  /**
   * Cancels every queued run.
   * @returns the number of cancelled runs
   */
  purge(): number {
    return this.#settlement.purge(this.#options.now())
  }

  /** Restores hold state after eviction. */
  #load(): void {
    const { live, now, state } = this.#options
    if (this.#loaded || !state.current) return
    this.#holds.load(state.current.usageKey, live)
    this.#absence.load(live.waitFor('origin'))
    this.#retryAt = live.nextRetryAt(now())
    // Set last, so that a failed read above is repeated on the next call.
    this.#loaded = true
  }

  /**
   * Resumes the runs that a previous incarnation started. Their outcomes are requested before anything is sent again.
   */
  #takeUp(now: number): void {
    const { armBy, live } = this.#options
    const running = live.abandoned(now, true).filter((run) => !this.#inFlight.has(run.sequence))
    this.#tookUp = true
    for (const run of running) this.#carry(run)
    if (running.length > 0) armBy(now + LEASE_MS)
  }

  #mayStart(trigger: TriggerRow, now: number): boolean {
    if (this.#inFlight.size >= trigger.concurrency) return false
    const opensAt = Math.max(
      this.#absence.opensAt(now),
      this.#holds.opensAt(trigger.usageKey, now),
      this.#window.opensAt(trigger.maxRunsPerMinute, now),
    )
    // Infinity while a probe is in flight. Its response calls `pump` again.
    if (opensAt > now && opensAt < Number.POSITIVE_INFINITY) this.#options.armBy(opensAt)
    return opensAt <= now
  }

  #start(due: LiveRun, now: number, usageKey: number): void {
    const { armBy, live, queueChanged } = this.#options
    // No await between these calls, so that the start and its alarm are one transaction on disk.
    const run = live.start(due, now, usageKey)
    armBy(now + LEASE_MS)
    this.#window.add(now)
    queueChanged(-1, run)
    this.#absence.sent(run.sequence)
    this.#holds.sent(run)
    this.#carry(run, now)
  }

  /** @param startedAt the run's entry in the rate window; absent for a run that a previous incarnation started */
  #carry(run: LiveRun, startedAt?: number): void {
    this.#inFlight.add(run.sequence)
    this.#options.keepAlive(this.#attempt(run, startedAt).finally(() => this.pump()))
  }

  async #attempt(run: LiveRun, startedAt?: number): Promise<void> {
    const { log, now, random, state } = this.#options
    const attempted = await this.#attempts.carry(run).catch((error: unknown): Attempted => {
      // The error is on this side, and may be specific to this run. Attempts are used up, so that the run cannot block
      // the others permanently.
      if (state.current) log('dispatch.failed', { reason: causeOf(error) })
      const verdict = verdictOnUnsent(run.attempt, random())
      return { run, verdict, inDoubtSince: run.inDoubtSince, ours: true }
    })
    // No await from here on: a run that is queued again must not be started while it is still marked as in flight.
    try {
      // A deleted trigger has no runs any more.
      const retryAt = state.current && this.#settlement.settle(attempted, now())
      if (retryAt !== undefined) this.#retryAt = Math.min(this.#retryAt ?? retryAt, retryAt)
      if (state.current && startedAt !== undefined && executedNothing(attempted))
        this.#window.remove(startedAt)
    } catch (error) {
      // The run stays `running` on disk. When its lease expires, its outcome is requested.
      log('settle.failed', { reason: causeOf(error) })
    }
    this.#inFlight.delete(run.sequence)
    this.#absence.left(run.sequence)
    this.#holds.left(run)
  }

  /**
   * Called when the origin has started a run. This shows that the origin is available, so other runs need not wait for
   * this one to finish.
   */
  #begun(run: LiveRun): void {
    this.#absence.answered()
    this.#holds.begun(run)
    this.pump()
  }

  /**
   * Called when the origin reports that all polled runs are still running. An overloaded origin reports this too, so
   * the circuit breaker stays open until its backoff is over.
   */
  #stillRunning(): void {
    const { armBy, now } = this.#options
    if (!this.#absence.probing || !this.#absence.over(now())) return
    this.#absence.answered()
    armBy(now())
  }
}
