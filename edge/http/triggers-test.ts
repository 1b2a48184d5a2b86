import { ApiError } from '../../shared/errors.ts'
import { isDeeper } from '../../shared/json-depth.ts'
import { JSON_DEPTH_MAX, WEBHOOK_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { testRequest } from '../../shared/wire/run.ts'
import type { TestRun } from '../queue/owner-firings.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { queueOf } from './owned-trigger.ts'
import { queuedRun } from './queued-run.ts'
import { readFields } from './read-fields.ts'

/** The largest event, plus room for whitespace in hand-formatted JSON. */
const BODY_MAX_BYTES = 2 * WEBHOOK_BODY_MAX_BYTES

/** `POST /api/triggers/<id>/test`: starts a real run, marked `test`, with the given params or event. */
export function registerTriggersTest(app: App): void {
  app.post('/api/triggers/:id/test', async (c) => {
    const user = await requireUser(c, 'triggers:write')
    const test = toTestRun(await readFields(c.req.raw, testRequest, BODY_MAX_BYTES))
    const queue = await queueOf(c, c.req.param('id'))
    const accepted = await queue.fireTest(user.id, test)
    if (accepted.state === 'takes_no_event') throw takesNoEvent()
    return queuedRun(c, accepted, 'trigger')
  })
}

/**
 * Serializes the params or the event as a sender would.
 * @throws {ApiError} 413, 422
 */
export function toTestRun(request: { params?: unknown; event?: unknown }): TestRun {
  const kind = 'params' in request ? 'params' : 'event'
  const value = request[kind]
  if (isDeeper(value, JSON_DEPTH_MAX))
    throw new ApiError(422, `${kind}: nested over ${JSON_DEPTH_MAX} deep.`, 'Make it flatter.')
  const body = new TextEncoder().encode(JSON.stringify(value))
  if (body.length <= WEBHOOK_BODY_MAX_BYTES) return { kind, body }
  const message = `${kind}: ${body.length} bytes as JSON, and at most ${WEBHOOK_BODY_MAX_BYTES} are taken.`
  throw new ApiError(413, message, 'Send less.')
}

function takesNoEvent(): ApiError {
  return new ApiError(
    422,
    'event: a schedule has none.',
    'Send params, with the keys that a firing would add to default_params.',
  )
}
