import type { z } from 'zod'
import type { svcActionAnswer } from '../../wire/core.ts'
import { failureText, logsText, type Outcome } from '../../wire/outcome.ts'
import type { SvcError } from '../failures.ts'
import { ActionFailed } from '../failures/action-failed.ts'
import { refusalOf } from '../failures/by-status.ts'
import type { CallRefused } from './call-refused.ts'

export type SvcActionAnswer = z.infer<typeof svcActionAnswer>

/** @throws {ActionFailed | SvcError} if the action failed, or was stopped for lack of funds */
export function answerOfOutcome(outcome: Outcome): SvcActionAnswer {
  const logs = logsText(outcome.logs)
  if (outcome.status === 'failed') {
    const stopped = STOPPED.get(outcome.code)
    if (stopped) throw refusalOf(outcome.message, stopped)
    const { code, receipt } = outcome
    const text = `${failureText(outcome)}\n\nlogs:\n${logs}`
    throw new ActionFailed(text, { code, receipt, requestId: undefined })
  }
  const { response, action_cid, duration_ms, charged_cents, receipt } = outcome
  // `receiptOfCall` rejects an outcome without a receipt.
  return {
    response,
    logs,
    has_error: false,
    action_cid,
    duration_ms,
    charged_cents,
    receipt: receipt ?? '',
  }
}

export function refusalInside({ message, status, code, fix, retryAfterS }: CallRefused): SvcError {
  return refusalOf(message, { status, code, fix, retryAfterS })
}

const LOOK_FIRST =
  'The action may have taken effect: check before you try again. Nothing was charged.'
const stoppedBy = (status: number, code: string, fix = LOOK_FIRST) => ({ status, code, fix })

/** Actions that were stopped because the cost of their next second could not be reserved. */
const STOPPED = new Map([
  ['out_of_credits', stoppedBy(402, 'out_of_credits', 'Add funds: billing.createPaymentIntent.')],
  ['spend_cap_reached', stoppedBy(402, 'spend_cap_reached', 'Wait, or raise the cap of this key.')],
  ['failed_execution_allowance', stoppedBy(429, 'failed_execution_allowance')],
  ['credits_unavailable', stoppedBy(503, 'service_unavailable')],
])
