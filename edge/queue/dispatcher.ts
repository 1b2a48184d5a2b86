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
  /** Keeps the Durable Object in memory until `work` settles. */
  keepAlive: (work: Promise<void>) => void
  armBy: (at: number) => void
  /** Called after a run has entered (1) or left (-1) the queue. */
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  /** Called after the run's result is stored. */
  runEnded: (run: EndedRun) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Starts the runs of one trigger within its limits, and drives each run until it finishes. The state in memory can be
 * lost at any moment. The database records which runs were in flight, and `pump` resumes them.
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
    // One of the object's connections to the origin is reserved for polling outcomes.
    const slots = new Slots(ORIGIN_CONNECTIONS_PER_OBJECT - 1)
    const begun = (run: LiveRun) => this.#begun(run)
    const parts = { live, log, now, origin, random, state, store }
    this.#attempts = new Attempts({ ...parts, poller, slots, begun })
  }

  /** Starts all runs that may start now, and sets the alarm for the others. */
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

  /** Alarm task: renews the leases of runs in flight, and resumes abandoned runs. */
  tend(): void {
    const { armBy, live, now, starts, state } = this.#options
    if (!state.current) return
    const at = now()
    // The first `pump` resumes the runs of the previous incarnation itself.
    if (this.#tookUp) {
      live.extendLeases(this.#inFlight, at)
      for (const run of live.abandoned(at, false)) this.#carry(run)
    }
    this.pump()
    starts.prune(at)
    live.dropUnusedKeys(state.current.usageKey)
    // Also needed for a running run that is not in flight: its result could not be stored, and its lease has not
    // expired yet.
    if (live.anyRunning()) armBy(at + LEASE_MS)
  }

  /** Reason to show to the owner why queued runs cannot start. Null if there is no such reason. */
  waitingFor(): WaitingFor | null {
    this.#load()
    const { live } = this.#options
    const isAway = this.#absence.away && live.anyQueued()
    return this.#holds.waitingFor(live) ?? (isAway ? 'origin' : null)
  }

  /** @returns false if the run is not queued */
  cancel(sequence: number): boolean {
    const { armBy, now } = this.#options
    const cancelled = this.#settlement.cancel(sequence, now())
    // If runs start strictly in order, later runs may have been waiting for the retry of the cancelled run.
    if (cancelled) armBy(now())
    return cancelled
  }

  /** @returns the number of cancelled runs */
  purge(): number {
    return this.#settlement.purge(this.#options.now())
  }

  /** Restores the holds and the circuit breaker after an eviction. Idempotent. */
  #load(): void {
    const { live, now, state } = this.#options
    if (this.#loaded || !state.current) return
    this.#holds.load(state.current.usageKey, live)
    this.#absence.load(live.waitFor('origin'))
    this.#retryAt = live.nextRetryAt(now())
    // Set last. If one of the reads above throws, the next call repeats them.
    this.#loaded = true
  }

  /**
   * Resumes the runs that a previous incarnation of the object started. Requests their outcomes before sending any of
   * them again.
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
    // `opensAt` is Infinity while a probe is in flight. No alarm is needed then, because the probe's response calls
    // `pump`.
    if (opensAt > now && opensAt < Number.POSITIVE_INFINITY) this.#options.armBy(opensAt)
    return opensAt <= now
  }

  #start(due: LiveRun, now: number, usageKey: number): void {
    const { armBy, live, queueChanged } = this.#options
    // There must be no `await` between these calls, so that the start of the run and the alarm are written to disk in
    // one transaction.
    const run = live.start(due, now, usageKey)
    armBy(now + LEASE_MS)
    this.#window.add(now)
    queueChanged(-1, run)
    this.#absence.sent(run.sequence)
    this.#holds.sent(run)
    this.#carry(run, now)
  }

  /**
   * Drives one attempt of a run in the background.
   * @param startedAt the start time in the rate window; absent if a previous incarnation started the run
   */
  #carry(run: LiveRun, startedAt?: number): void {
    this.#inFlight.add(run.sequence)
    this.#options.keepAlive(this.#attempt(run, startedAt).finally(() => this.pump()))
  }

  async #attempt(run: LiveRun, startedAt?: number): Promise<void> {
    const { log, now, random, state } = this.#options
    const attempted = await this.#attempts.carry(run).catch((error: unknown): Attempted => {
      // The edge failed before it sent the request, possibly because of this run. The failure counts as an attempt, so
      // that the run cannot block the others permanently.
      if (state.current) log('dispatch.failed', { reason: causeOf(error) })
      const verdict = verdictOnUnsent(run.attempt, random())
      return { run, verdict, inDoubtSince: run.inDoubtSince, ours: true }
    })
    // There must be no `await` from here on. Otherwise a requeued run could be started while it is still marked as in
    // flight.
    try {
      // If the trigger was deleted, it has no runs to settle.
      const retryAt = state.current && this.#settlement.settle(attempted, now())
      if (retryAt !== undefined) this.#retryAt = Math.min(this.#retryAt ?? retryAt, retryAt)
      if (state.current && startedAt !== undefined && executedNothing(attempted))
        this.#window.remove(startedAt)
    } catch (error) {
      // The run stays `running` on disk. Its outcome is requested when its lease expires.
      log('settle.failed', { reason: causeOf(error) })
    }
    this.#inFlight.delete(run.sequence)
    this.#absence.left(run.sequence)
    this.#holds.left(run)
  }

  /** The origin has started a run, so it is available. Other runs need not wait for this one to finish. */
  #begun(run: LiveRun): void {
    this.#absence.answered()
    this.#holds.begun(run)
    this.pump()
  }

  /**
   * Called when the origin reports that all polled runs are still running. An overloaded origin can report this too, so
   * the circuit breaker stays open until its backoff has ended.
   */
  #stillRunning(): void {
    const { armBy, now } = this.#options
    if (!this.#absence.probing || !this.#absence.over(now())) return
    this.#absence.answered()
    armBy(now())
  }
}
