import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { errorReason } from '../../shared/errors/api-error.ts'
import { failureText, type Outcome } from '../../shared/wire/outcome.ts'
import type { SealedRefusal } from '../../shared/wire/sealed.ts'
import type { CreditShortage } from './credit-breakers.ts'
import type { RunResult } from './records.ts'

export type AttemptVerdict =
  | {
      kind: 'ended'
      status: 'success' | 'failed'
      result: RunResult
      /** Present if the origin refused to start the run. */
      refusal?: SealedRefusal
    }
  /**
   * The origin was unreachable, refused the run with 429 or 503 because of overload or an unavailable component, or
   * received the request only after it had expired. The attempt does not count.
   */
  | { kind: 'origin_away'; retryAfterMs: number }
  | { kind: 'retry'; afterMs: number }
  /**
   * The origin refused to start the run, because the usage key or action lacks credit or allowance. Further runs are
   * held back, and the attempt does not count.
   */
  | { kind: 'wait'; shortage: CreditShortage; afterMs: number }
  | { kind: 'not_sent' }

const RETRY_MS = [5_000, 60_000, 600_000]
const SHORTAGE_PROBE_MS = MINUTE_MS
const KEY_LIMIT_PROBE_MS = 1_000
/** During a longer delay, the origin's recovery would go unnoticed. */
const RETRY_AFTER_MAX_MS = HOUR_MS

export function verdictOnOutcome(outcome: Outcome): AttemptVerdict {
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

/** Verdict on a lost run, for triggers with `on_lost: "retry"`. The run is retried as after a network failure. */
export function verdictOnLost(attempt: number, random: number): AttemptVerdict {
  return retryVerdict(attempt, random, 0, () =>
    failedVerdict(
      'origin_lost: On each attempt, the machine that executed this run was lost before it reported an outcome. The action may have run several times.',
    ),
  )
}

/** The run fails, because the claim that prevents a second execution may be lost. */
export function verdictOnForgottenRun(): AttemptVerdict {
  return failedVerdict(
    'origin_lost: The origin’s database was restored to a time before this run was sent. The action may have run; it was not run again.',
  )
}

/** The run fails, because the origin retains outcomes for only a day. */
export function verdictOnExpiredOutcome(): AttemptVerdict {
  return failedVerdict(
    'outcome_lost: The connection to the origin broke while the run was being sent, and its outcome could not be retrieved within a day. The action may have run; it was not retried.',
  )
}

/** @param attempt number of the refused attempt, starting at 1 */
export function verdictOnRefusal(
  refusal: SealedRefusal,
  attempt: number,
  random: number,
): AttemptVerdict {
  const { status, message, fix, retry_after_s } = refusal
  const retryAfterMs = Math.min((retry_after_s ?? 0) * 1000, RETRY_AFTER_MAX_MS)
  const shortage = shortageOf(refusal)
  if (shortage)
    return { kind: 'wait', shortage, afterMs: Math.max(retryAfterMs, probeAfterMs(shortage)) }
  const isLate = errorReason(refusal) === 'request_not_fresh'
  if (status === 429 || status === 503 || isLate) return { kind: 'origin_away', retryAfterMs }
  const ended = {
    ...failedVerdict(`${status} ${errorReason(refusal)}: ${message} ${fix}`),
    refusal,
  }
  return status >= 500 ? retryVerdict(attempt, random, retryAfterMs, () => ended) : ended
}

/** The limits of a key are renewed each minute, or when a run ends, so they are probed sooner. */
function probeAfterMs(shortage: CreditShortage): number {
  return shortage === 'key_limit' ? KEY_LIMIT_PROBE_MS : SHORTAGE_PROBE_MS
}

function shortageOf(refusal: SealedRefusal): CreditShortage | undefined {
  const { status } = refusal
  const reason = errorReason(refusal)
  if (status === 402) return reason === 'spend_cap_reached' ? 'spend_cap' : 'payment'
  if (status !== 429) return undefined
  if (reason === 'key_rate_reached' || reason === 'key_concurrency_reached') return 'key_limit'
  return reason === 'failed_execution_allowance' ? reason : undefined
}

/**
 * Verdict on an attempt during which the connection broke, although the origin answered other requests. The attempt
 * counts.
 */
export function verdictOnBrokenConnection(attempt: number, random: number): AttemptVerdict {
  const message = 'The connection to the origin broke on each attempt. The action may have run.'
  return verdictOnRefusal({ ...EDGE_REFUSAL, error: 'connection_broken', message }, attempt, random)
}

/** The attempt counts, so that a faulty run cannot block the others permanently. */
export function verdictOnUnsent(attempt: number, random: number): AttemptVerdict {
  const message = 'The run could not be sent to the origin.'
  return verdictOnRefusal({ ...EDGE_REFUSAL, error: 'dispatch_failed', message }, attempt, random)
}

const EDGE_REFUSAL = {
  state: 'refused' as const,
  status: 500,
  fix: 'Try again. If the error persists, report the ID of this run.',
}

/**
 * Retries the run with a jitter of up to 10 % in either direction. After the last attempt, returns the result of
 * `exhausted` instead.
 */
function retryVerdict(
  attempt: number,
  random: number,
  retryAfterMs: number,
  exhausted: () => AttemptVerdict,
): AttemptVerdict {
  const wait = RETRY_MS[attempt - 1]
  if (wait === undefined) return exhausted()
  const afterMs = Math.round(Math.max(retryAfterMs, wait * (0.9 + random * 0.2)))
  return { kind: 'retry', afterMs }
}

function failedVerdict(error: string) {
  const result = { response: null, error, logs: [], charged_cents: 0 }
  return { kind: 'ended' as const, status: 'failed' as const, result }
}
