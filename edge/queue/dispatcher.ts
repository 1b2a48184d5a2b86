import { ORIGIN_CONNECTIONS_PER_OBJECT } from '../../shared/limits.ts'
import type { WaitingFor } from '../../shared/wire/trigger.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { RunTraces } from '../telemetry/run-traces.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'
import { RunBatcher } from './run-batcher.ts'
import { type AttemptResult, RunSender, executedNothing } from './run-sender.ts'
import { HoldReports } from './hold-reports.ts'
import type { QueueCancellation, EndedRun } from './queue-cancellation.ts'
import { CreditBreakers } from './credit-breakers.ts'
import { LEASE_MS, type LiveRun, type LiveRuns } from './live-runs.ts'
import { StoredOriginBreaker } from './stored-origin-breaker.ts'
import { OutcomePoller } from './outcome-poller.ts'
import { StartWindow, type StoredStarts } from './start-window.ts'
import type { TriggerRow } from './records.ts'
import type { ImmediateStarts, RunStore } from './run-store.ts'
import { RunTransitions } from './run-transitions.ts'
import type { TriggerState } from './trigger-state.ts'
import { verdictOnUnsent } from './verdict.ts'

type DispatcherOptions = {
  store: RunStore
  live: LiveRuns
  starts: StoredStarts
  cancellation: QueueCancellation
  state: TriggerState
  reports: PendingReports
  origin: Pick<SealedOrigin, 'executeRuns' | 'outcomes'>
  /** See `RunSender`. */
  claimsRestoredAt: () => number | undefined
  now: () => number
  random: () => number
  keepAlive: (work: Promise<void>) => void
  armBy: (at: number) => void
  /** Called after a run has entered (1) or left (-1) the queue. */
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  /** Called after the result of a finished run is stored. */
  runEnded: (run: EndedRun) => void
  traces?: Pick<RunTraces, 'startAttempt'>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Starts the runs of one trigger within its limits, and drives each run until it finishes. The state in memory can be
 * lost at any moment, so the database records which runs are in flight, and `pump` resumes them after an eviction.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #sender: RunSender
  readonly #originBreaker: StoredOriginBreaker
  readonly #creditBreakers = new CreditBreakers()
  readonly #transitions: RunTransitions
  readonly #window: StartWindow
  readonly #holds: HoldReports
  readonly #inFlight = new Set<number>()
  /** Runs that were inserted as running and have not been sent yet, with the times of their starts. */
  #adopted: { run: LiveRun; at: number }[] = []
  #retryAt: number | undefined
  #loaded = false
  #hasResumed = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { claimsRestoredAt, live, log, now, origin, random, starts, state, store, traces } =
      options
    this.#originBreaker = new StoredOriginBreaker(state)
    const breakers = { originBreaker: this.#originBreaker, creditBreakers: this.#creditBreakers }
    this.#transitions = new RunTransitions({ ...options, ...breakers })
    this.#window = new StartWindow(starts)
    this.#holds = new HoldReports(state, options.reports)
    const poller = new OutcomePoller(origin, () => this.#handleAllRunning())
    // One of the object's connections to the origin is reserved for polling outcomes.
    const batcher = new RunBatcher(origin, ORIGIN_CONNECTIONS_PER_OBJECT - 1)
    const onStarted = (run: LiveRun) => this.#handleStart(run)
    const sending = { batcher, claimsRestoredAt, live, log, now, random, state, store }
    const parts = { ...sending, ...(traces && { traces }) }
    this.#sender = new RunSender({ ...parts, poller, onStarted })
  }

  pump(): void {
    const { armBy, live, now, state } = this.#options
    const trigger = state.current
    if (!trigger) return
    const at = now()
    this.#load()
    if (!this.#hasResumed) this.#resume(at)
    this.#driveAdopted()
    if (!trigger.enabled) {
      if (this.#inFlight.size === 0) this.#originBreaker.endOutage()
      return
    }
    if (this.#retryAt !== undefined && this.#retryAt <= at) this.#retryAt = live.nextRetryAt(at)
    while (this.#mayStart(trigger, at)) {
      const { revisions } = this.#creditBreakers.blocked(at)
      const run = live.next(at, trigger.concurrency === 1, revisions)
      if (!run) break
      this.#start(run, at, trigger.usageKey)
    }
    const { until } = this.#creditBreakers.blocked(at)
    if (until < Number.POSITIVE_INFINITY) armBy(until)
    if (this.#retryAt !== undefined) armBy(this.#retryAt)
  }

  runDue(): void {
    const { armBy, live, now, state } = this.#options
    if (!state.current) return
    const at = now()
    // The first `pump` resumes the runs of the previous incarnation itself.
    if (this.#hasResumed) {
      live.extendLeases(this.#inFlight, at)
      for (const run of live.recoverAbandoned(at, false)) this.#drive(run)
    }
    this.pump()
    live.dropUnusedKeys(state.current.usageKey)
    // Also covers a run that is no longer in flight but is still marked as running, because its result could not be
    // stored. Such a run is resumed when its lease expires.
    if (live.anyRunning()) armBy(at + LEASE_MS)
  }

  /**
   * Returns how many new runs may be inserted as running. First starts the runs that are due, because new runs must not
   * overtake them. Returns undefined if any runs are queued, if a circuit breaker is open, or if runs have keys.
   */
  immediateStarts(): ImmediateStarts | undefined {
    this.pump()
    const { live, now, state } = this.#options
    const trigger = state.current
    if (!trigger?.enabled || trigger.keyed || live.anyQueued() || this.#originBreaker.isTripped)
      return undefined
    const { concurrency, maxRunsPerMinute, usageKey } = trigger
    if (!this.#creditBreakers.isClear(usageKey)) return undefined
    const at = now()
    const free = concurrency - this.#inFlight.size
    const max = Math.min(free, this.#window.room(maxRunsPerMinute, at))
    return max > 0 ? { max, at, usageKey } : undefined
  }

  /**
   * Takes over runs that were inserted as running. The next `pump` sends them. Must be called directly after the
   * insertion, so that the start times and the alarm are written to disk in the same transaction.
   */
  adopt(runs: readonly LiveRun[], at: number): void {
    const { armBy, starts } = this.#options
    if (runs.length === 0) return
    for (const run of runs) {
      this.#inFlight.add(run.sequence)
      this.#adopted.push({ run, at })
      this.#window.add(at)
    }
    // Last, because it can fail: all runs are stored as running, so all must start.
    for (const _ of runs) starts.add(at)
    armBy(at + LEASE_MS)
  }

  /** Called when a run was stored whose first attempt is due at a later time. */
  expectDue(at: number): void {
    this.#retryAt = Math.min(this.#retryAt ?? at, at)
    this.#options.armBy(at)
  }

  #driveAdopted(): void {
    const adopted = this.#adopted
    this.#adopted = []
    for (const { run, at } of adopted) {
      this.#options.queueChanged(-1, run)
      this.#drive(run, at)
    }
  }

  waitingFor(): WaitingFor | null {
    this.#load()
    const { live } = this.#options
    const isAway = this.#originBreaker.isAway && live.anyQueued()
    return this.#creditBreakers.waitingFor(live) ?? (isAway ? 'origin' : null)
  }

  /** @returns false if the run is not queued */
  cancel(sequence: number): boolean {
    const { armBy, now } = this.#options
    const cancelled = this.#transitions.cancel(sequence, now())
    // Later runs may have been waiting for the cancelled run, because runs start strictly in order or have the same key.
    // The alarm starts them.
    if (cancelled) armBy(now())
    return cancelled
  }

  purge(): number {
    return this.#transitions.purge(this.#options.now())
  }

  /** Restores the circuit breakers after an eviction. Idempotent. */
  #load(): void {
    const { live, now, state } = this.#options
    if (this.#loaded || !state.current) return
    this.#creditBreakers.load(state.current.usageKey, live)
    this.#originBreaker.load(live.longestWait('origin'))
    this.#retryAt = live.nextRetryAt(now())
    // Set last, so that the next call repeats the reads above if one of them throws.
    this.#loaded = true
  }

  /**
   * Resumes the runs that a previous incarnation of the object started. Each run's outcome is requested before the run
   * is sent again.
   */
  #resume(now: number): void {
    const { armBy, live } = this.#options
    const running = live
      .recoverAbandoned(now, true)
      .filter((run) => !this.#inFlight.has(run.sequence))
    this.#hasResumed = true
    for (const run of running) this.#drive(run)
    if (running.length > 0) armBy(now + LEASE_MS)
  }

  #mayStart(trigger: TriggerRow, now: number): boolean {
    if (this.#inFlight.size >= trigger.concurrency) return false
    const allowedAt = Math.max(
      this.#originBreaker.allowedAt(now),
      this.#creditBreakers.allowedAt(trigger.usageKey, now),
      this.#window.allowedAt(trigger.maxRunsPerMinute, now),
    )
    // `allowedAt` is Infinity while a probe is in flight. In that case no alarm is needed, because the probe's response
    // calls `pump`.
    if (allowedAt > now && allowedAt < Number.POSITIVE_INFINITY) this.#options.armBy(allowedAt)
    return allowedAt <= now
  }

  #start(due: LiveRun, now: number, usageKey: number): void {
    const { armBy, live, queueChanged } = this.#options
    // There must be no `await` between the calls below, so that the start of the run and the alarm are written to disk
    // in one transaction.
    const run = live.start(due, now, usageKey)
    armBy(now + LEASE_MS)
    this.#window.add(now)
    queueChanged(-1, run)
    this.#originBreaker.recordSent(run.sequence)
    this.#creditBreakers.recordSent(run)
    this.#drive(run, now)
  }

  /**
   * @param startedAt time at which the run was counted in the rate window; absent if a previous incarnation started the
   * run
   */
  #drive(run: LiveRun, startedAt?: number): void {
    this.#inFlight.add(run.sequence)
    this.#options.keepAlive(this.#attempt(run, startedAt).finally(() => this.pump()))
  }

  async #attempt(run: LiveRun, startedAt?: number): Promise<void> {
    const { log, now, random, state } = this.#options
    const attempted = await this.#sender.attempt(run).catch((error: unknown): AttemptResult => {
      // The edge failed before it sent the request, and the run itself may be the cause. The failure counts as an
      // attempt, so that a faulty run cannot block the other runs permanently.
      if (state.current) log('dispatch.failed', { reason: rootCauseText(error) })
      const verdict = verdictOnUnsent(run.attempt, random())
      return { run, verdict, inDoubtSince: run.inDoubtSince, ours: true }
    })
    // There must be no `await` from here on. Otherwise a requeued run could be started while it is still marked as in
    // flight.
    try {
      // A deleted trigger has no runs to settle.
      const retryAt = state.current && this.#transitions.apply(attempted, now())
      if (retryAt !== undefined) this.#retryAt = Math.min(this.#retryAt ?? retryAt, retryAt)
      if (state.current && startedAt !== undefined && executedNothing(attempted))
        this.#window.remove(startedAt)
      const { kind } = attempted.verdict
      if (kind === 'wait' || kind === 'origin_away' || this.#holds.isOpen)
        this.#holds.update(this.waitingFor(), now())
    } catch (error) {
      // The run stays `running` on disk. Its outcome is requested when its lease expires.
      log('settle.failed', { reason: rootCauseText(error) })
    }
    this.#inFlight.delete(run.sequence)
    this.#originBreaker.recordDone(run.sequence)
    this.#creditBreakers.recordDone(run)
  }

  /**
   * Called when the origin has started a run. Other runs can then be sent before this run finishes, because the start
   * shows that the origin is available.
   */
  #handleStart(run: LiveRun): void {
    this.#originBreaker.recordSuccess()
    this.#creditBreakers.recordStart(run)
    this.pump()
  }

  /**
   * Called when the origin reports that all polled runs are still running. Even an overloaded origin can send such a
   * response, so the circuit breaker stays open until its backoff has ended.
   */
  #handleAllRunning(): void {
    const { armBy, now } = this.#options
    if (!this.#originBreaker.isTripped || !this.#originBreaker.isWaitOver(now())) return
    this.#originBreaker.recordSuccess()
    armBy(now())
  }
}
