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
  /** Keeps the object alive until the work has ended. */
  keepAlive: (work: Promise<void>) => void
  /** Makes sure that the alarm fires at this time or before. */
  armBy: (at: number) => void
  /** A run that entered (1) or left (-1) the queue. */
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  /** Every run that ends, whatever ends it; its end is written. */
  runEnded: (run: EndedRun) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Starts the runs of one trigger, as many as its caps allow, and carries each to its end. What it remembers can
 * be lost at any moment: the tables say which runs were under way, and `pump` takes them up again.
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
    // One connection stays for the poller.
    const slots = new Slots(ORIGIN_CONNECTIONS_PER_OBJECT - 1)
    const begun = (run: LiveRun) => this.#begun(run)
    const parts = { live, log, now, origin, random, state, store }
    this.#attempts = new Attempts({ ...parts, poller, slots, begun })
  }

  /** Starts what may start now, and arms the alarm for what comes later. */
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

  /** The alarm's part: leases of runs that this object still carries go on, and what nobody carries is taken up. */
  tend(): void {
    const { armBy, live, now, starts, state } = this.#options
    if (!state.current) return
    const at = now()
    // What an earlier life of the object had is taken up by its first pump.
    if (this.#tookUp) {
      live.extendLeases(this.#inFlight, at)
      for (const run of live.abandoned(at, false)) this.#carry(run)
    }
    this.pump()
    starts.prune(at)
    live.dropUnusedKeys(state.current.usageKey)
    // Also for a run that nobody carries because its end could not be written, and whose lease has not ended.
    if (live.anyRunning()) armBy(at + LEASE_MS)
  }

  /** What holds the trigger's runs up, for its owner. */
  waitingFor(): WaitingFor | null {
    this.#load()
    const { live } = this.#options
    const isAway = this.#absence.away && live.anyQueued()
    return this.#holds.waitingFor(live) ?? (isAway ? 'origin' : null)
  }

  /** Ends a queued run as cancelled. @returns false where it is not queued */
  cancel(sequence: number): boolean {
    const { armBy, now } = this.#options
    const cancelled = this.#settlement.cancel(sequence, now())
    // In strict order those behind it may have waited for its retry.
    if (cancelled) armBy(now())
    return cancelled
  }

  /** Ends every queued run as cancelled. @returns how many there were */
  purge(): number {
    return this.#settlement.purge(this.#options.now())
  }

  /** What an earlier life of this object knew of what the runs wait for. */
  #load(): void {
    const { live, now, state } = this.#options
    if (this.#loaded || !state.current) return
    this.#holds.load(state.current.usageKey, live)
    this.#absence.load(live.waitFor('origin'))
    this.#retryAt = live.nextRetryAt(now())
    // Only now: a storage that failed above is read again by the next look.
    this.#loaded = true
  }

  /** What an earlier life of this object began: its outcome is asked for before anything is sent again. */
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
    // Infinite while a run is out to see: its answer pumps again.
    if (opensAt > now && opensAt < Number.POSITIVE_INFINITY) this.#options.armBy(opensAt)
    return opensAt <= now
  }

  #start(due: LiveRun, now: number, usageKey: number): void {
    const { armBy, live, queueChanged } = this.#options
    // No await between these: the start and its alarm are one transaction on disk.
    const run = live.start(due, now, usageKey)
    armBy(now + LEASE_MS)
    this.#window.add(now)
    queueChanged(-1, run)
    this.#absence.sent(run.sequence)
    this.#holds.sent(run)
    this.#carry(run, now)
  }

  /** @param startedAt the run's place in the window; absent for a run that a previous incarnation started */
  #carry(run: LiveRun, startedAt?: number): void {
    this.#inFlight.add(run.sequence)
    this.#options.keepAlive(this.#attempt(run, startedAt).finally(() => this.pump()))
  }

  async #attempt(run: LiveRun, startedAt?: number): Promise<void> {
    const { log, now, random, state } = this.#options
    const attempted = await this.#attempts.carry(run).catch((error: unknown): Attempted => {
      // Ours, and perhaps this run's own: it uses its attempts up, so that it never holds up the others for ever.
      if (state.current) log('dispatch.failed', { reason: causeOf(error) })
      const verdict = verdictOnUnsent(run.attempt, random())
      return { run, verdict, inDoubtSince: run.inDoubtSince, ours: true }
    })
    // No await from here on: once it is back in the queue, whoever starts it must not find it still carried.
    try {
      // A trigger that was deleted has no runs any more.
      const retryAt = state.current && this.#settlement.settle(attempted, now())
      if (retryAt !== undefined) this.#retryAt = Math.min(this.#retryAt ?? retryAt, retryAt)
      if (state.current && startedAt !== undefined && executedNothing(attempted))
        this.#window.remove(startedAt)
    } catch (error) {
      // It stays as it is on disk, running: when its lease ends, its outcome is asked for.
      log('settle.failed', { reason: causeOf(error) })
    }
    this.#inFlight.delete(run.sequence)
    this.#absence.left(run.sequence)
    this.#holds.left(run)
  }

  /** It took the run: others need not wait for this one's end to know that the origin is back. */
  #begun(run: LiveRun): void {
    this.#absence.answered()
    this.#holds.begun(run)
    this.pump()
  }

  /** An origin that has no room for runs still answers for those it has: its pause holds until it is over. */
  #stillRunning(): void {
    const { armBy, now } = this.#options
    if (!this.#absence.probing || !this.#absence.over(now())) return
    this.#absence.answered()
    armBy(now())
  }
}
