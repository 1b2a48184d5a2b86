import { encodeBase64url } from '../../shared/base64url.ts'
import {
  EXECUTE_WAIT_MS,
  OUTCOME_KEPT_MS,
  SEALED_CLOCK_SKEW_MS,
  SEALED_REQUEST_LIFETIME_MS,
} from '../../shared/limits.ts'
import { ORIGIN_LOST, type Outcome } from '../../shared/wire/outcome.ts'
import type { ExecuteAnswer } from '../../shared/wire/sealed.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { OriginAway } from '../trust/origin-away.ts'
import type { SealedOrigin } from '../trust/sealed-origin.ts'
import type { Firing } from './firing.ts'
import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { OutcomePoller } from './outcome-poller.ts'
import { paramsRefusal } from './params-size.ts'
import { type RevisionRow, runParams } from './records.ts'
import type { RunStore } from './run-store.ts'
import type { Slots } from './slots.ts'
import type { TriggerState } from './trigger-state.ts'
import {
  type Verdict,
  verdictOnBroken,
  verdictOnForgotten,
  verdictOnLost,
  verdictOnOutcome,
  verdictOnRefusal,
} from './verdict.ts'

/**
 * A request that got no answer may still be begun for this long: as long as the origin would take it, and half a
 * minute for its way from there to the claim.
 */
const MAY_BEGIN_MS = SEALED_REQUEST_LIFETIME_MS + SEALED_CLOCK_SKEW_MS + 30_000
/** The origin knows the outcome of a run for this long at least: an hour less, since it has a clock of its own. */
const ASKABLE_MS = OUTCOME_KEPT_MS - 60 * 60 * 1000

const DELETED = 'the trigger was deleted'

export type AttemptsOptions = {
  store: Pick<RunStore, 'revision' | 'input'>
  live: Pick<LiveRuns, 'dispelDoubt' | 'renewDoubt'>
  state: TriggerState
  origin: Pick<SealedOrigin, 'execute'>
  poller: Pick<OutcomePoller, 'outcome'>
  slots: Slots
  now: () => number
  /** In [0, 1). */
  random: () => number
  /** The origin has begun the run, or had before; how it ends may not be known yet. */
  begun: (run: LiveRun) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** What became of an attempt. */
export type Attempted = {
  /** With the key that it was sent with last. */
  run: LiveRun
  verdict: Verdict
  /** When it was last sent without an answer; null where it was not begun, and will not be. */
  inDoubtSince: number | null
  /** It says nothing of the origin. */
  ours?: true
  /** The connection broke after sending. */
  isUnanswered?: boolean
}

/** True if the origin refused the run before execution, or was not reached. */
export function executedNothing({ verdict, isUnanswered }: Attempted): boolean {
  if (isUnanswered) return false
  return verdict.kind === 'origin_away' || verdict.kind === 'wait' || verdict.kind === 'not_sent'
}

/**
 * Carries attempts to the origin. A run of which an earlier sending is in doubt is asked for before it is sent again,
 * and sent under the key of that sending: claims are of account and run, so that under another account's key it would
 * be executed a second time.
 */
export class Attempts {
  readonly #options: AttemptsOptions
  /** The last of each: most runs of a trigger have the same. */
  #revision: RevisionRow | undefined
  #usageKey: { id: number; sealed: string } | undefined

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** @throws {Error} where this side could not send it: nothing of it was sent */
  async carry(carried: LiveRun): Promise<Attempted> {
    const { live, log, now, random, state } = this.#options
    const asked = carried.inDoubtSince !== null
    let run = carried
    let sent = false
    try {
      if (asked) {
        const known = await this.#ask(run)
        if ('verdict' in known) return { run, inDoubtSince: run.inDoubtSince, ...known }
        run = known.run
      }
      const answer = await this.#send(run, () => {
        sent = true
        // On disk before it is sent: should this life end here, the doubt began now. A refusal takes it back.
        if (run.inDoubtSince !== null) live.renewDoubt(run, now())
      })
      const attempted = { run, inDoubtSince: run.inDoubtSince }
      if (!sent) Object.assign(attempted, { ours: true })
      return { ...attempted, ...(await this.#verdict(run, answer)) }
    } catch (error) {
      if (!(error instanceof OriginAway)) {
        if (!sent) throw error
        // Ours, and too late: the origin may have the run, so that it is asked for it before anything is sent again.
        const reason = error instanceof Error ? error.message : 'unknown'
        if (state.current) log('dispatch.failed', { reason })
        const verdict = verdictOnBroken(run.attempt, random())
        return { run, verdict, inDoubtSince: now(), ours: true }
      }
      log('origin.away', { reason: error.message })
      if (error.isUnsent) sent = false
      // The origin is there, it has just said that it does not have this run: what broke is its own sending.
      const broke = asked && sent
      const verdict: Verdict = broke
        ? verdictOnBroken(run.attempt, random())
        : { kind: 'origin_away', retryAfterMs: 0 }
      const inDoubtSince = sent ? now() : run.inDoubtSince
      return { run, verdict, inDoubtSince, isUnanswered: sent }
    }
  }

  /** What the origin knows of a run in doubt: its end, or that it is to be sent, under the key that it has then. */
  async #ask(run: LiveRun): Promise<{ verdict: Verdict } | { run: LiveRun }> {
    const { live, now, poller, state } = this.#options
    const doubtMs = now() - run.inDoubtSince!
    const known = await poller.outcome(this.#runId(run))
    if (known !== 'unknown') {
      // Which of its attempts was lost the origin says when this one is sent.
      if (isLost(known) && this.#retriesLost()) return { run }
      return { verdict: verdictOnOutcome(known) }
    }
    if (doubtMs > ASKABLE_MS && !this.#retriesLost()) return { verdict: verdictOnForgotten() }
    // Asked too early, the request in doubt may come after the answer.
    if (doubtMs < MAY_BEGIN_MS || !state.current) return { run }
    return { run: live.dispelDoubt(run, state.current.usageKey) }
  }

  async #verdict(
    run: LiveRun,
    answer: ExecuteAnswer | 'not_sent',
  ): Promise<Pick<Attempted, 'verdict'> & Partial<Attempted>> {
    const { begun, now, poller, random } = this.#options
    if (answer === 'not_sent') return { verdict: { kind: 'not_sent' } }
    if (answer.state === 'refused')
      return { verdict: verdictOnRefusal(answer, run.attempt, random()) }
    begun(run)
    const outcome =
      answer.state === 'ended' ? answer.outcome : await poller.outcome(this.#runId(run))
    // Claimed and then given back: the executor took nothing of it.
    if (outcome === 'unknown') return { verdict: { kind: 'origin_away', retryAfterMs: 0 } }
    if (isLost(outcome) && this.#retriesLost())
      return { verdict: verdictOnLost(run.attempt, random()), inDoubtSince: now() }
    return { verdict: verdictOnOutcome(outcome) }
  }

  async #send(run: LiveRun, sending: () => void): Promise<ExecuteAnswer | 'not_sent'> {
    const { origin, slots, state, store } = this.#options
    await slots.take()
    try {
      // After the wait: a trigger that was deleted or disabled meanwhile sends nothing more.
      const trigger = state.current
      if (!trigger) throw new Error(DELETED)
      if (!trigger.enabled) return 'not_sent'
      const { firing, body } = store.input(run.sequence)
      const revision = this.#revisionOf(run)
      const params = runParams(revision, JSON.parse(firing) as Firing, body)
      const tooLarge = paramsRefusal(params, body.length)
      if (tooLarge) return tooLarge
      const sealed_usage_key = this.#usageKeyOf(run.usageKey ?? trigger.usageKey)
      const { ownerId: owner_id, triggerId: trigger_id } = trigger
      sending()
      return await origin.execute({
        credential: { sealed_usage_key, trigger_id, owner_id },
        code: revision.actionCode,
        js_params: params,
        run: {
          id: this.#runId(run),
          attempt: run.attempt,
          ...(this.#retriesLost() ? { retry_lost: true } : {}),
        },
        // The last place is given back at once, so that slow runs never keep others from starting.
        wait_ms: slots.free > 0 ? EXECUTE_WAIT_MS : 0,
      })
    } finally {
      slots.give()
    }
  }

  #revisionOf({ revision }: LiveRun): RevisionRow {
    if (this.#revision?.revision !== revision)
      this.#revision = this.#options.store.revision(revision)
    return this.#revision
  }

  #usageKeyOf(id: number): string {
    if (this.#usageKey?.id !== id) {
      const sealed = this.#options.state.sealedUsageKey(id)
      if (!sealed) throw new Error('the usage key of the run is gone')
      this.#usageKey = { id, sealed: encodeBase64url(sealed) }
    }
    return this.#usageKey.sealed
  }

  #retriesLost(): boolean {
    const { current } = this.#options.state
    return (
      current !== undefined && (JSON.parse(current.options) as TriggerOptions).on_lost === 'retry'
    )
  }

  /** @throws {Error} for a trigger that was deleted: nobody asks for its runs any more */
  #runId({ suffix }: LiveRun): string {
    const { current } = this.#options.state
    if (!current) throw new Error(DELETED)
    return current.triggerId + suffix
  }
}

function isLost(outcome: Outcome): boolean {
  return outcome.status === 'failed' && outcome.code === ORIGIN_LOST
}
