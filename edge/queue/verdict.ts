/** Decides from a response of the origin what happens to a run next. */
import { reasonOf } from '../../shared/errors.ts'
import { failureText, type Outcome } from '../../shared/wire/outcome.ts'
import type { Refusal } from '../../shared/wire/sealed.ts'
import type { Shortage } from './credit-holds.ts'
import type { RunResult } from './records.ts'

export type Verdict =
  | {
      kind: 'ended'
      status: 'success' | 'failed'
      result: RunResult
      /** Present if the origin refused to start the run. */
      refusal?: Refusal
    }
  /** The origin was not reached, or refused the run because it has no capacity or no chain. No attempt is used. */
  | { kind: 'origin_away'; retryAfterMs: number }
  /** A transient failure: the same run is retried after a delay. */
  | { kind: 'retry'; afterMs: number }
  /**
   * Refused before the run started, because its key or action lacks credit or allowance. Runs are held, and no attempt
   * is used.
   */
  | { kind: 'wait'; shortage: Shortage; afterMs: number }
  /** The trigger was disabled before the run was sent. */
  | { kind: 'not_sent' }

/** Delays before the second, third and fourth attempt. */
const RETRY_MS = [5_000, 60_000, 600_000]
/** The delay before a shortage is probed again, unless the origin requests a longer one. */
const LOOK_MS = 60_000
/** The longest delay that an origin may request. Without a new attempt, its recovery would go unnoticed. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000

export function verdictOnOutcome(outcome: Outcome): Verdict {
  const { logs, charged_cents, receipt = null } = outcome
  const kept = { logs, charged_cents, receipt }
  if (outcome.status === 'success') {
    const result = { response: outcome.response ?? null, error: null, ...kept }
    return { kind: 'ended', status: 'success', result }
  }
  const error =
    outcome.code === 'action_threw'
      ? failureText(outcome)
      : `${outcome.code}: ${failureText(outcome)}`
  return { kind: 'ended', status: 'failed', result: { response: null, error, ...kept } }
}

/** Retries a run that the origin lost, if its trigger has chosen `on_lost: "retry"`, as after a network failure. */
export function verdictOnLost(attempt: number, random: number): Verdict {
  return retried(attempt, random, 0, () =>
    failed(
      'origin_lost: The machine that executed this run went away each time before it reported an outcome. The action may have run, several times.',
    ),
  )
}

/** Fails a run with an outcome that the origin no longer has: outcomes are kept for a day. */
export function verdictOnForgotten(): Verdict {
  return failed(
    'outcome_lost: The connection to the origin broke while the run was sent, and it could not be asked for the outcome within a day. The action may have run; it was not run again.',
  )
}

/**
 * @param attempt the attempt that was refused, from 1
 * @param random in [0, 1), for jitter
 */
export function verdictOnRefusal(refusal: Refusal, attempt: number, random: number): Verdict {
  const { status, message, fix, retry_after_s } = refusal
  const retryAfterMs = Math.min((retry_after_s ?? 0) * 1000, RETRY_AFTER_MAX_MS)
  const shortage = shortageOf(refusal)
  if (shortage) return { kind: 'wait', shortage, afterMs: Math.max(retryAfterMs, LOOK_MS) }
  if (status === 429 || status === 503) return { kind: 'origin_away', retryAfterMs }
  const ended = { ...failed(`${status} ${reasonOf(refusal)}: ${message} ${fix}`), refusal }
  return status >= 500 ? retried(attempt, random, retryAfterMs, () => ended) : ended
}

function shortageOf(refusal: Refusal): Shortage | undefined {
  const { status } = refusal
  const reason = reasonOf(refusal)
  if (status === 402) return reason === 'spend_cap_reached' ? 'spend_cap' : 'payment'
  const isAllowance = status === 429 && reason === 'failed_execution_allowance'
  return isAllowance ? 'failed_execution_allowance' : undefined
}

/** The connection broke during this run, while the origin answered other requests. This uses an attempt. */
export function verdictOnBroken(attempt: number, random: number): Verdict {
  const message =
    'The connection to the origin broke each time that the run was sent; the action may have run.'
  return verdictOnRefusal({ ...OURS, error: 'connection_broken', message }, attempt, random)
}

/** This side failed to send the run. This uses attempts, so that the run cannot block the others permanently. */
export function verdictOnUnsent(attempt: number, random: number): Verdict {
  const message = 'The run could not be sent to the origin.'
  return verdictOnRefusal({ ...OURS, error: 'dispatch_failed', message }, attempt, random)
}

const OURS = {
  state: 'refused' as const,
  status: 500,
  fix: 'Try it again; if it stays, report the id of this run.',
}

/**
 * Retries the run after the delay for this attempt, with 10 % jitter either way. Returns `ended` after the last
 * attempt.
 */
function retried(
  attempt: number,
  random: number,
  retryAfterMs: number,
  ended: () => Verdict,
): Verdict {
  const wait = RETRY_MS[attempt - 1]
  if (wait === undefined) return ended()
  const afterMs = Math.round(Math.max(retryAfterMs, wait * (0.9 + random * 0.2)))
  return { kind: 'retry', afterMs }
}

function failed(error: string) {
  const result = { response: null, error, logs: [], charged_cents: 0 }
  return { kind: 'ended' as const, status: 'failed' as const, result }
}
