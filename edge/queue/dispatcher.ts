import { encodeBase64url } from '../../shared/base64url.ts'
import { EXECUTE_WAIT_MS, ORIGIN_CONNECTIONS_PER_OBJECT } from '../../shared/limits.ts'
import { OriginAway, type SealedOrigin } from '../trust/sealed-origin.ts'
import type { Firing } from './firing.ts'
import { OriginPause } from './origin-pause.ts'
import { OutcomePoller } from './outcome-poller.ts'
import { mayStartAt, PACE_WINDOW_MS } from './pace.ts'
import { type RunRow, runParams, type TriggerRow } from './records.ts'
import type { RunStore } from './run-store.ts'
import { Slots } from './slots.ts'
import type { TriggerState } from './trigger-state.ts'
import {
  type Verdict,
  verdictOnBroken,
  verdictOnOutcome,
  verdictOnRefusal,
  verdictOnUnsent,
} from './verdict.ts'

/** The alarm looks after a running run this often: what a killed object left is taken up again by then. */
export const LEASE_MS = 15_000

export type DispatcherOptions = {
  store: RunStore
  state: TriggerState
  origin: SealedOrigin
  now: () => number
  /** In [0, 1). */
  random: () => number
  /** Keeps the object alive until the work has ended. */
  keepAlive(work: Promise<void>): void
  /** Makes sure that the alarm fires at this time or before. */
  armBy(at: number): void
  /** Runs that entered (1) or left (-1) the queue. */
  queueChanged(change: 1 | -1, run: RunRow): void
  log(event: string, facts: Record<string, string | number>): void
}

/**
 * Starts the runs of one trigger, as many as its caps allow, and carries each to its end. What it remembers can
 * be lost at any moment: the tables say which runs were under way, and `pump` takes them up again.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #pause = new OriginPause()
  readonly #poller: OutcomePoller
  /** One connection stays for the poller. */
  readonly #slots = new Slots(ORIGIN_CONNECTIONS_PER_OBJECT - 1)
  readonly #inFlight = new Set<number>()
  /** The run that was sent to see whether the origin is back. */
  #probe: number | undefined
  /** Times of the starts in the pace window; read from disk by the first `pump`. */
  #starts: number[] = []
  #retryAt: number | undefined
  #tookUp = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#poller = new OutcomePoller(options.origin, () => {
      // An origin that has no room for runs still answers for those it has: its pause holds until it is over.
      if (!this.#pause.probing || options.now() < this.#pause.until) return
      this.#originAnswered()
      options.armBy(options.now())
    })
  }

  /** Starts what may start now, and arms the alarm for what comes later. */
  pump(): void {
    const trigger = this.#options.state.current
    if (!trigger) return
    const now = this.#options.now()
    if (!this.#tookUp) this.#takeUp(now)
    if (!trigger.enabled) return
    if (this.#retryAt !== undefined && this.#retryAt <= now)
      this.#retryAt = this.#options.store.nextRetryAt(now)
    while (this.#mayStart(trigger, now)) {
      const [run] = this.#options.store.due(now, 1)
      if (!run) break
      this.#start(run, now)
    }
    if (this.#retryAt !== undefined) this.#options.armBy(this.#retryAt)
  }

  /** The alarm's part: leases of runs that this object still carries go on, and what nobody carries is taken up. */
  tend(): void {
    const { store } = this.#options
    if (!this.#options.state.current) return
    const now = this.#options.now()
    store.extendLeases([...this.#inFlight], now + LEASE_MS)
    for (const run of store.running(now)) this.#carry(run, true)
    this.pump()
    if (this.#inFlight.size > 0) this.#options.armBy(now + LEASE_MS)
  }

  #mayStart(trigger: TriggerRow, now: number): boolean {
    if (now < this.#pause.until) {
      this.#options.armBy(this.#pause.until)
      return false
    }
    if (this.#inFlight.size >= trigger.concurrency) return false
    if (this.#pause.probing && this.#probe !== undefined) return false
    this.#starts = this.#starts.filter((at) => at > now - PACE_WINDOW_MS)
    const startAt = mayStartAt(this.#starts, trigger.maxRunsPerMinute, now)
    if (startAt > now) this.#options.armBy(startAt)
    return startAt <= now
  }

  /** What an earlier life of this object began: its outcome is asked for before anything is sent again. */
  #takeUp(now: number): void {
    const { store } = this.#options
    this.#starts = store.recentStarts(now)
    this.#retryAt = store.nextRetryAt(now)
    const running = store.running().filter((run) => !this.#inFlight.has(run.sequence))
    // Only now: a storage that failed above is read again by the next pump.
    this.#tookUp = true
    for (const run of running) this.#carry(run, true)
    if (running.length > 0) this.#options.armBy(now + LEASE_MS)
  }

  #start(due: RunRow, now: number): void {
    // No await between these: the start and its alarm are one transaction on disk.
    const run = this.#options.store.start(due, now, now + LEASE_MS)
    this.#options.armBy(now + LEASE_MS)
    this.#starts.push(now)
    this.#options.queueChanged(-1, run)
    if (this.#pause.probing) this.#probe = run.sequence
    this.#carry(run, due.startedAt !== null)
  }

  #carry(run: RunRow, sentBefore: boolean): void {
    this.#inFlight.add(run.sequence)
    const carried = this.#verdict(run, sentBefore)
      .then((verdict) => this.#settle(run, verdict))
      .catch((error: unknown) => this.#failed(run, error))
      .finally(() => {
        this.#inFlight.delete(run.sequence)
        if (this.#probe === run.sequence) this.#probe = undefined
        this.pump()
      })
    this.#options.keepAlive(carried)
  }

  async #verdict(run: RunRow, sentBefore: boolean): Promise<Verdict> {
    const known = sentBefore ? await this.#poller.outcome(this.#runId(run)) : 'not_asked'
    if (typeof known === 'object') return verdictOnOutcome(known)
    let answer
    try {
      answer = await this.#execute(run)
    } catch (error) {
      if (known === 'not_asked' || !(error instanceof OriginAway)) throw error
      // The origin is there, it has just said that it does not have this run: what broke is this run's own sending.
      this.#options.log('dispatch.broken', { reason: error.message })
      return verdictOnBroken(run.attempt, this.#options.random())
    }
    if (answer.state === 'refused')
      return verdictOnRefusal(answer, run.attempt, this.#options.random())
    if (answer.state === 'ended') return verdictOnOutcome(answer.outcome)
    // It took the run: others need not wait for this one's end to know that the origin is back.
    this.#originAnswered()
    this.pump()
    const outcome = await this.#poller.outcome(this.#runId(run))
    // Claimed and then given back: the executor took nothing of it.
    return outcome === 'unknown'
      ? { kind: 'origin_away', retryAfterMs: 0 }
      : verdictOnOutcome(outcome)
  }

  async #execute(run: RunRow) {
    const { store, origin } = this.#options
    await this.#slots.take()
    try {
      // After the wait: a trigger that was deleted meanwhile sends nothing more.
      const trigger = this.#options.state.current
      const sealedUsageKey = trigger && this.#options.state.sealedUsageKey(trigger.usageKey)
      if (!sealedUsageKey) throw new Error('the trigger was deleted')
      const revision = store.revision(run.revision)
      const firing = JSON.parse(run.firing) as Firing
      const params = runParams(revision, firing, store.body(run))
      return await origin.execute({
        credential: {
          sealed_usage_key: encodeBase64url(sealedUsageKey),
          trigger_id: trigger.triggerId,
          owner_id: trigger.ownerId,
        },
        code: revision.actionCode,
        js_params: params,
        run: { id: this.#runId(run), attempt: run.attempt },
        // The last place is given back at once, so that slow runs never keep others from starting.
        wait_ms: this.#slots.free > 0 ? EXECUTE_WAIT_MS : 0,
      })
    } finally {
      this.#slots.give()
    }
  }

  #settle(run: RunRow, verdict: Verdict): void {
    const { store, now, random } = this.#options
    if (verdict.kind !== 'origin_away') this.#originAnswered()
    switch (verdict.kind) {
      case 'ended':
        store.finish(run, verdict.status, verdict.result, now())
        return
      case 'origin_away':
        this.#pause.failed(now(), random(), verdict.retryAfterMs)
        this.#requeue(run, run.attempt - 1, this.#pause.until)
        return
      case 'retry':
        this.#requeue(run, run.attempt, now() + verdict.afterMs)
        return
      case 'wait_for_payment':
        this.#requeue(run, run.attempt - 1, now() + verdict.afterMs)
    }
  }

  #originAnswered(): void {
    this.#pause.answered()
    this.#probe = undefined
  }

  #failed(run: RunRow, error: unknown): void {
    if (!this.#options.state.current) return
    const reason = error instanceof Error ? error.message : 'unknown'
    if (error instanceof OriginAway) {
      this.#options.log('origin.away', { reason })
      this.#settle(run, { kind: 'origin_away', retryAfterMs: 0 })
      return
    }
    // Ours, and perhaps this run's own: it uses its attempts up, so that it never holds up the others for ever.
    this.#options.log('dispatch.failed', { reason })
    this.#settle(run, verdictOnUnsent(run.attempt, this.#options.random()))
  }

  #requeue(run: RunRow, attempt: number, at: number): void {
    if (!this.#options.store.requeue(run, attempt, at)) return
    this.#options.queueChanged(1, run)
    this.#retryAt = Math.min(this.#retryAt ?? at, at)
  }

  #runId(run: RunRow): string {
    return `${this.#options.state.current?.triggerId}${run.suffix}`
  }
}
