import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import { JSON_DEPTH_MAX, WEBHOOK_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { queuedResponse, testRequest } from '../../shared/wire/run.ts'
import type { TestRun } from '../queue/owner-firings.ts'
import type { ApiOperation } from './api-operation.ts'
import { queueOf } from './trigger-lookup.ts'
import { queuedRunResponse } from './queued-run-response.ts'

/** Maximum body size: the largest event, plus space for whitespace in JSON that was formatted by hand. */
const BODY_MAX_BYTES = 2 * WEBHOOK_BODY_MAX_BYTES

export const testTriggerOperation: ApiOperation<z.infer<typeof testRequest>> = {
  method: 'post',
  path: '/api/triggers/{id}/test',
  id: 'test_trigger',
  scope: 'triggers:write',
  summary: 'Queues a real run, marked as a test.',
  body: { schema: testRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 202, schema: queuedResponse, headers: ['location'] },
  failures: [409],
  handle: async (c, { user, id, body }) => {
    const test = toTestRun(body)
    const queue = await queueOf(c, id)
    const accepted = await queue.fireTest(user.id, test)
    if (accepted.state === 'takes_no_event') throw takesNoEvent()
    return queuedRunResponse(c, accepted, 'trigger')
  },
}

/**
 * Serializes the event in the same way as a real event.
 * @throws {ApiError} 413 or 422 for invalid input
 */
export function toTestRun(request: { params?: unknown; event?: unknown }): TestRun {
  const kind = 'params' in request ? 'params' : 'event'
  const value = request[kind]
  if (isDeeperThan(value, JSON_DEPTH_MAX))
    throw new ApiError(
      422,
      `${kind}: nested more than ${JSON_DEPTH_MAX} levels deep.`,
      'Reduce the nesting.',
    )
  const body = new TextEncoder().encode(JSON.stringify(value))
  if (body.length <= WEBHOOK_BODY_MAX_BYTES) return { kind, body }
  const message = `${kind}: ${body.length} bytes of JSON exceed the limit of ${WEBHOOK_BODY_MAX_BYTES}.`
  throw new ApiError(413, message, 'Send a smaller value.')
}

function takesNoEvent(): ApiError {
  return new ApiError(
    422,
    'event: a schedule has no event.',
    'Send params with the keys that a firing adds to default_params.',
  )
}
