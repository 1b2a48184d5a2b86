import type { z } from 'zod'
import { CORE_BODY_MAX_BYTES, SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import { svcActionResponse, svcActionRequest } from '../../shared/wire/core.ts'
import { logsText } from '../../shared/wire/outcome.ts'
import { isStopReason } from '../credits/run-meter.ts'
import { ActionFailedError, ActionStoppedError } from './action-errors.ts'
import { jsParamsSchema } from './json/json-text.ts'
import type { Operation } from './operation.ts'
import { readParamsText, requireSize } from './size.ts'

const schema = svcActionRequest.extend({ js_params: jsParamsSchema })

export const svcActionOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/svc_action',
  summary: 'Executes an action and waits for its result.',
  auth: 'key',
  body: {
    schema,
    maxBytes: CORE_BODY_MAX_BYTES,
    members: { names: Object.keys(schema.shape), text: 'js_params' },
  },
  responseSchema: svcActionResponse,
  runsOnce: true,
  statuses: [402, 403, 503],
  handle: async ({ principal, body, bodyBytes, gone, span }, { executions }) => {
    requireSize('code', body.code, SOURCE_MAX_BYTES)
    const params = readParamsText(body.js_params)
    const execution = {
      principal,
      code: body.code,
      params,
      heldBytes: bodyBytes,
      unwanted: gone,
      span,
    }
    const outcome = await executions.run(execution)
    if (outcome.status === 'failed') {
      const { code } = outcome
      throw isStopReason(code)
        ? new ActionStoppedError(outcome, code)
        : new ActionFailedError(outcome)
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
