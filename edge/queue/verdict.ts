/** What an answer of the origin means for a run. */
import { failureText, type Outcome } from '../../shared/wire/outcome.ts'
import type { Refusal } from '../../shared/wire/sealed.ts'
import type { RunResult } from './records.ts'

export type Verdict =
  | { kind: 'ended'; status: 'success' | 'failed'; result: RunResult }
  /** Refused before it began, by an origin that has no room or no chain: no attempt is used. */
  | { kind: 'origin_away'; retryAfterMs: number }
  /** A failure of the network: the same run again after a while. */
  | { kind: 'retry'; afterMs: number }
  | { kind: 'wait_for_payment'; afterMs: number }

/** Waits before the second, third and fourth attempt (`decisions.md`, Attempts and retries). */
const RETRY_MS = [5_000, 60_000, 600_000]
/** A run that waits for payment is looked at again after this. */
const PAYMENT_LOOK_MS = 60_000

export function verdictOnOutcome(outcome: Outcome): Verdict {
  const { logs, charged_cents } = outcome
  if (outcome.status === 'success') {
    const result = { response: outcome.response ?? null, error: null, logs, charged_cents }
    return { kind: 'ended', status: 'success', result }
  }
  const error =
    outcome.code === 'action_threw'
      ? failureText(outcome)
      : `${outcome.code}: ${failureText(outcome)}`
  return { kind: 'ended', status: 'failed', result: { response: null, error, logs, charged_cents } }
}

/**
 * @param attempt the attempt that was refused, from 1
 * @param random in [0, 1), for jitter
 */
export function verdictOnRefusal(refusal: Refusal, attempt: number, random: number): Verdict {
  const retryAfterMs = (refusal.retry_after_s ?? 0) * 1000
  if (refusal.status === 429 || refusal.status === 503) return { kind: 'origin_away', retryAfterMs }
  if (refusal.status === 402) return { kind: 'wait_for_payment', afterMs: PAYMENT_LOOK_MS }
  const wait = RETRY_MS[attempt - 1]
  if (refusal.status >= 500 && wait !== undefined)
    return {
      kind: 'retry',
      afterMs: Math.round(Math.max(retryAfterMs, wait * (0.9 + random * 0.2))),
    }
  const error = `${refusal.status} ${refusal.error}: ${refusal.message} ${refusal.fix}`
  const result = { response: null, error, logs: [], charged_cents: 0 }
  return { kind: 'ended', status: 'failed', result }
}

/** The connection broke under this run, while the origin answered for others: that uses an attempt. */
export function verdictOnBroken(attempt: number, random: number): Verdict {
  const message = 'The connection to the origin broke each time that the run was sent.'
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
