import type { z } from 'zod'
import { CORE_BODY_MAX_BYTES, SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import { RECEIPT_HEADER } from '../../shared/receipt-header.ts'
import { svcActionAnswer, svcActionRequest } from '../../shared/wire/core.ts'
import { failureText, logsText, type Outcome } from '../../shared/wire/outcome.ts'
import { isShortage, type Shortage } from '../credits/run-meter.ts'
import { paramsOrNone } from './json/json-text.ts'
import type { Operation } from './operation.ts'
import { paramsText } from './params.ts'
import { requireSize } from './size.ts'

/** An action that ran and failed: 500, with message, stack and logs as a JSON string. */
export class ActionFailed extends Error {
  readonly code: string
  readonly headers: Record<string, string>
  constructor(outcome: Failed) {
    super(`${failureText(outcome)}\n\nlogs:\n${logsText(outcome.logs)}`)
    this.name = 'ActionFailed'
    this.code = outcome.code
    this.headers = receiptHeader(outcome)
  }
}

/** An action that was stopped while running, because its next second could not be reserved. */
export class ActionStopped extends Error {
  readonly code: Shortage
  readonly headers: Record<string, string>
  constructor(outcome: Failed, code: Shortage) {
    super(outcome.message)
    this.name = 'ActionStopped'
    this.code = code
    this.headers = receiptHeader(outcome)
  }
}

type Failed = Extract<Outcome, { status: 'failed' }>

/** Returns the header with the receipt, since the body is plain text for people. Empty if the origin lost the run. */
function receiptHeader({ receipt }: Failed): Record<string, string> {
  return receipt === undefined ? {} : { [RECEIPT_HEADER]: receipt }
}

const schema = svcActionRequest.extend({ js_params: paramsOrNone })

export const svcAction: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/svc_action',
  summary: 'Executes an action and waits for its end.',
  auth: 'key',
  body: {
    schema,
    maxBytes: CORE_BODY_MAX_BYTES,
    members: { names: Object.keys(schema.shape), text: 'js_params' },
  },
  answer: svcActionAnswer,
  runsOnce: true,
  statuses: [402, 403, 503],
  handle: async ({ principal, body, bodyBytes, gone }, { executions }) => {
    requireSize('code', body.code, SOURCE_MAX_BYTES)
    const params = paramsText(body.js_params)
    const execution = { principal, code: body.code, params, heldBytes: bodyBytes, unwanted: gone }
    const outcome = await executions.run(execution)
    if (outcome.status === 'failed') {
      const { code } = outcome
      throw isShortage(code) ? new ActionStopped(outcome, code) : new ActionFailed(outcome)
    }
    return {
      response: outcome.response,
      logs: logsText(outcome.logs),
      has_error: false,
      action_cid: outcome.action_cid,
      duration_ms: outcome.duration_ms,
      charged_cents: outcome.charged_cents,
      receipt: outcome.receipt,
    }
  },
}
