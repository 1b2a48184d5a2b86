import type { z } from 'zod'
import type { svcActionResponse } from '../../wire/core.ts'
import { failureText, logsText, type Outcome } from '../../wire/outcome.ts'
import type { SvcError } from '../failures/svc-error.ts'
import { ActionFailed } from '../failures/action-failed.ts'
import { errorForStatus } from '../failures/by-status.ts'
import type { CallRefused } from './call-refused.ts'

export type SvcActionResponse = z.infer<typeof svcActionResponse>

/** @throws {ActionFailed | SvcError} if the action failed, or was stopped for lack of funds */
export function toActionResponse(outcome: Outcome): SvcActionResponse {
  const logs = logsText(outcome.logs)
  if (outcome.status === 'failed') {
    const stopped = STOPPED.get(outcome.code)
    if (stopped) throw errorForStatus(outcome.message, stopped)
    const { code, receipt } = outcome
    const text = `${failureText(outcome)}\n\nlogs:\n${logs}`
    throw new ActionFailed(text, { code, receipt, requestId: undefined })
  }
  const { response, action_cid, duration_ms, charged_cents, receipt } = outcome
  // An outcome without a receipt does not reach this point, because `verifyCallReceipt` rejects it.
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

export function toPlainError({ message, status, code, fix, retryAfterS }: CallRefused): SvcError {
  return errorForStatus(message, { status, code, fix, retryAfterS })
}

const CHECK_FIRST_FIX =
  'The action may have taken effect: check before you try again. Nothing was charged.'
const stoppedBy = (status: number, code: string, fix = CHECK_FIRST_FIX) => ({ status, code, fix })

/**
 * Error codes of actions that were stopped because their next second of execution could not be reserved from the
 * credit, the spending cap or the allowance for failed executions.
 */
const STOPPED = new Map([
  ['out_of_credits', stoppedBy(402, 'out_of_credits', 'Add funds: billing.createPaymentIntent.')],
  ['spend_cap_reached', stoppedBy(402, 'spend_cap_reached', 'Wait, or raise the cap of this key.')],
  ['failed_execution_allowance', stoppedBy(429, 'failed_execution_allowance')],
  ['credits_unavailable', stoppedBy(503, 'service_unavailable')],
])
