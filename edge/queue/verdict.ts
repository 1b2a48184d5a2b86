/** What an answer of the origin means for a run. */
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
      /** Where the origin would not begin it. */
      refusal?: Refusal
    }
  /** Refused before it began, by an origin that has no room or no chain, or not asked: no attempt is used. */
  | { kind: 'origin_away'; retryAfterMs: number }
  /** A failure of the network: the same run again after a while. */
  | { kind: 'retry'; afterMs: number }
  /** Refused before it began, for what its key or its action lacks: runs wait in line, and no attempt is used. */
  | { kind: 'wait'; shortage: Shortage; afterMs: number }
  /** The trigger was disabled before it was sent. */
  | { kind: 'not_sent' }

/** Waits before the second, third and fourth attempt (`decisions.md`, Attempts and retries). */
const RETRY_MS = [5_000, 60_000, 600_000]
/** What is waited for is looked at again after this, or later where the origin says when there will be some. */
const LOOK_MS = 60_000
/** An origin that asks for a longer wait is asked again after this: nobody else would tell that it is back. */
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

/**
 * A run that the origin lost, of a trigger that has chosen `on_lost: "retry"`: run again like after a failure of the
 * network.
 */
export function verdictOnLost(attempt: number, random: number): Verdict {
  return retried(attempt, random, 0, () =>
    failed(
      'origin_lost: The machine that executed this run went away each time before it reported an outcome. The action may have run, several times.',
    ),
  )
}

/** The origin has forgotten what became of it: outcomes are kept for a day. */
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

/** The connection broke under this run, while the origin answered for others: that uses an attempt. */
export function verdictOnBroken(attempt: number, random: number): Verdict {
  const message =
    'The connection to the origin broke each time that the run was sent; the action may have run.'
  return verdictOnRefusal({ ...OURS, error: 'connection_broken', message }, attempt, random)
}

/** This side failed to send the run: it uses its attempts up, so that it never holds up the others for ever. */
export function verdictOnUnsent(attempt: number, random: number): Verdict {
  const message = 'The run could not be sent to the origin.'
  return verdictOnRefusal({ ...OURS, error: 'dispatch_failed', message }, attempt, random)
}

const OURS = {
  state: 'refused' as const,
  status: 500,
  fix: 'Try it again; if it stays, report the id of this run.',
}

/** Another attempt after its wait, with a tenth of jitter to either side; after the last one, `ended`. */
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
