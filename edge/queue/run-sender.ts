import { HOUR_MS } from '../../shared/durations.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import {
  OUTCOME_RETENTION_MS,
  SEALED_CLOCK_SKEW_MS,
  SEALED_REQUEST_LIFETIME_MS,
} from '../../shared/limits.ts'
import { ORIGIN_LOST, type Outcome } from '../../shared/wire/outcome.ts'
import type { ExecuteResponse } from '../../shared/wire/sealed.ts'
import type { AttemptTrace, RunTraces } from '../telemetry/run-traces.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { type Firing, runParams } from './firing.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { OutcomePoller } from './outcome-poller.ts'
import { paramsRefusal } from './params-size.ts'
import type { PreparedRun, RunBatcher } from './run-batcher.ts'
import { type RevisionRow, parseTriggerOptions } from './records.ts'
import type { RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'
import {
  type AttemptVerdict,
  verdictOnBrokenConnection,
  verdictOnExpiredOutcome,
  verdictOnForgottenRun,
  verdictOnLost,
  verdictOnOutcome,
  verdictOnRefusal,
} from './verdict.ts'

/**
 * Maximum time for which an unanswered request may still start its run: the time during which the origin accepts the
 * request, plus 30 s for the origin to claim the run.
 */
const LATE_START_MAX_MS = SEALED_REQUEST_LIFETIME_MS + SEALED_CLOCK_SKEW_MS + 30_000
/**
 * Time for which the origin is certain to retain the outcome of a run: the retention time, less one hour for clock
 * differences.
 */
const OUTCOME_QUERY_MAX_MS = OUTCOME_RETENTION_MS - HOUR_MS

const DELETED = 'the trigger was deleted'

type RunSenderOptions = {
  store: Pick<RunStore, 'revision' | 'input'>
  live: Pick<LiveRuns, 'dispelDoubt' | 'renewDoubt'>
  state: TriggerState
  batcher: RunBatcher
  poller: Pick<OutcomePoller, 'outcome'>
  /**
   * Time at which the origin's database was restored, in Unix milliseconds. The origin may have lost the claims of runs
   * that were sent before that time.
   */
  claimsRestoredAt: () => number | undefined
  now: () => number
  random: () => number
  /**
   * Called when the origin reports that it has started the run, now or in an earlier attempt. The outcome may still be
   * unknown.
   */
  onStarted: (run: LiveRun) => void
  traces?: Pick<RunTraces, 'startAttempt'>
  log: (event: string, facts: Record<string, string | number>) => void
}

export type AttemptResult = {
  /** The run, with the usage key under which it was last sent. */
  run: LiveRun
  verdict: AttemptVerdict
  /**
   * Time of the last attempt whose outcome is unknown, in Unix milliseconds. Null if the outcome of every attempt is
   * known.
   */
  inDoubtSince: number | null
  /**
   * True if the edge produced the verdict itself, for example after an internal error. Such a verdict does not show
   * that the origin is available.
   */
  ours?: true
  /** True if the connection broke after the request was sent. */
  isUnanswered?: boolean
}

export function executedNothing({ verdict, isUnanswered }: AttemptResult): boolean {
  if (isUnanswered) return false
  return verdict.kind === 'origin_away' || verdict.kind === 'wait' || verdict.kind === 'not_sent'
}

/**
 * Sends runs to the origin. If an earlier attempt has an unknown outcome, requests that outcome first, and retries the
 * run under the same usage key. The origin claims runs per account, so under a key of another account the run could be
 * executed a second time.
 */
export class RunSender {
  readonly #options: RunSenderOptions
  /** Revision and usage key of the last run, cached because most runs of a trigger share them. */
  #revision: RevisionRow | undefined
  #usageKey: { id: number; sealed: string } | undefined

  constructor(options: RunSenderOptions) {
    this.#options = options
  }

  /** @throws {Error} if the edge failed before it sent the request */
  async attempt(run: LiveRun): Promise<AttemptResult> {
    const { state, traces } = this.#options
    const trace = state.current && traces?.startAttempt(this.#runId(run), run.attempt)
    if (!trace) return this.#attempt(run)
    try {
      const result = await this.#attempt(run, trace)
      trace.end(result.verdict.kind)
      return result
    } catch (error) {
      trace.fail(error)
      throw error
    }
  }

  async #attempt(initial: LiveRun, trace?: AttemptTrace): Promise<AttemptResult> {
    const { live, log, now, random, state } = this.#options
    const isInDoubt = initial.inDoubtSince !== null
    let run = initial
    let sent = false
    try {
      if (isInDoubt) {
        const known = await this.#requestOutcome(run)
        if ('verdict' in known) return { run, inDoubtSince: run.inDoubtSince, ...known }
        run = known.run
      }
      let sentAt = now()
      const response = await this.#send(run, trace?.traceparent, () => {
        sent = true
        sentAt = now()
        // The send time is stored before the request is sent, because the run's outcome is unknown if the object is
        // evicted during the request. If the origin refuses the request, the earlier time is restored.
        if (run.inDoubtSince !== null) live.renewDoubt(run, sentAt)
      })
      const attempted = { run, inDoubtSince: run.inDoubtSince }
      if (!sent) Object.assign(attempted, { ours: true })
      return { ...attempted, ...(await this.#verdict(run, response, sentAt)) }
    } catch (error) {
      if (!(error instanceof OriginUnavailableError)) {
        if (!sent) throw error
        // The edge failed after it had sent the request. The origin may have started the run, so the next attempt
        // requests the outcome before it sends the run again.
        const reason = error instanceof Error ? error.message : 'unknown'
        if (state.current) log('dispatch.failed', { reason })
        const verdict = verdictOnBrokenConnection(run.attempt, random())
        return { run, verdict, inDoubtSince: now(), ours: true }
      }
      log('origin.away', { reason: error.message })
      if (error.isUnsent) sent = false
      // The origin has just answered a query for this run, so it is reachable. Only the connection on which the run was
      // sent broke.
      const isConnectionBroken = isInDoubt && sent
      const verdict: AttemptVerdict = isConnectionBroken
        ? verdictOnBrokenConnection(run.attempt, random())
        : { kind: 'origin_away', retryAfterMs: 0 }
      const inDoubtSince = sent ? now() : run.inDoubtSince
      return { run, verdict, inDoubtSince, isUnanswered: sent }
    }
  }

  /** @returns the verdict, or, if the run must be sent again, the run with the usage key to use */
  async #requestOutcome(run: LiveRun): Promise<{ verdict: AttemptVerdict } | { run: LiveRun }> {
    const { live, now, poller, state } = this.#options
    const doubtMs = now() - run.inDoubtSince!
    const known = await poller.outcome(this.#runId(run))
    if (known !== 'unknown') {
      // A "lost" outcome does not state which attempt was lost. The origin checks the attempt number when the run is
      // sent again.
      if (isLost(known) && this.#retriesLost()) return { run }
      return { verdict: verdictOnOutcome(known) }
    }
    // The first start, because the time of the attempt is not stored: the outcome became unknown only when its
    // connection broke, or when its lease would have expired.
    const sentAt = Math.min(run.startedAt ?? run.inDoubtSince!, run.inDoubtSince!)
    if (this.#mayBeForgotten(sentAt) && !this.#retriesLost())
      return { verdict: verdictOnForgottenRun() }
    if (doubtMs > OUTCOME_QUERY_MAX_MS && !this.#retriesLost())
      return { verdict: verdictOnExpiredOutcome() }
    // The origin may still receive the unanswered request, so the run must keep its usage key.
    if (doubtMs < LATE_START_MAX_MS || !state.current) return { run }
    return { run: live.dispelDoubt(run, state.current.usageKey) }
  }

  /** True if the origin may have executed a run that was sent at this time, although it does not know the run. */
  #mayBeForgotten(sentAt: number): boolean {
    const restoredAt = this.#options.claimsRestoredAt()
    return restoredAt !== undefined && sentAt < restoredAt
  }

  async #verdict(
    run: LiveRun,
    response: ExecuteResponse | 'not_sent',
    sentAt: number,
  ): Promise<Pick<AttemptResult, 'verdict'> & Partial<AttemptResult>> {
    const { onStarted, now, poller, random } = this.#options
    if (response === 'not_sent') return { verdict: { kind: 'not_sent' } }
    if (response.state === 'refused')
      return { verdict: verdictOnRefusal(response, run.attempt, random()) }
    onStarted(run)
    const outcome =
      response.state === 'ended' ? response.outcome : await poller.outcome(this.#runId(run))
    if (outcome === 'unknown' && this.#mayBeForgotten(sentAt) && !this.#retriesLost())
      return { verdict: verdictOnForgottenRun() }
    // The origin claimed the run and then released it without passing it to an executor.
    if (outcome === 'unknown') return { verdict: { kind: 'origin_away', retryAfterMs: 0 } }
    if (isLost(outcome) && this.#retriesLost())
      return { verdict: verdictOnLost(run.attempt, random()), inDoubtSince: now() }
    return { verdict: verdictOnOutcome(outcome) }
  }

  #send(
    run: LiveRun,
    trace: string | undefined,
    onSend: () => void,
  ): Promise<ExecuteResponse | 'not_sent'> {
    const { batcher, state, store } = this.#options
    return batcher.send((): PreparedRun | { unsent: ExecuteResponse | 'not_sent' } => {
      // Read after the wait for a connection, because the trigger may have been deleted or disabled in the meantime.
      const trigger = state.current
      if (!trigger) throw new Error(DELETED)
      if (!trigger.enabled) return { unsent: 'not_sent' }
      const { firing, body } = store.input(run.sequence)
      const revision = this.#revisionOf(run)
      const params = JSON.stringify(runParams(revision, JSON.parse(firing) as Firing, body))
      const tooLarge = paramsRefusal(params)
      if (tooLarge) return { unsent: tooLarge }
      const sealed_usage_key = this.#usageKeyOf(run.usageKey ?? trigger.usageKey)
      const { ownerId: owner_id, triggerId: trigger_id } = trigger
      return {
        credential: { sealed_usage_key, trigger_id, owner_id },
        run: {
          id: this.#runId(run),
          attempt: run.attempt,
          retryLost: this.#retriesLost(),
          source: revision.actionCode,
          params,
          trace,
        },
        onSend,
      }
    })
  }

  #revisionOf({ revision }: LiveRun): RevisionRow {
    if (this.#revision?.revision !== revision)
      this.#revision = this.#options.store.revision(revision)
    return this.#revision
  }

  #usageKeyOf(id: number): string {
    if (this.#usageKey?.id !== id) {
      const sealed = this.#options.state.sealedUsageKey(id)
      if (!sealed) throw new Error('the usage key of the run was deleted')
      this.#usageKey = { id, sealed: encodeBase64url(sealed) }
    }
    return this.#usageKey.sealed
  }

  #retriesLost(): boolean {
    const { current } = this.#options.state
    return current !== undefined && parseTriggerOptions(current).on_lost === 'retry'
  }

  #runId({ suffix }: LiveRun): string {
    const { current } = this.#options.state
    if (!current) throw new Error(DELETED)
    return current.triggerId + suffix
  }
}

function isLost(outcome: Outcome): boolean {
  return outcome.status === 'failed' && outcome.code === ORIGIN_LOST
}
