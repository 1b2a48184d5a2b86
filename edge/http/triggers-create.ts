import { bodyLimit } from 'hono/body-limit'
import { ApiError } from '../../shared/errors.ts'
import { parseJson, validate } from '../../shared/json-body.ts'
import { createTriggerRequest } from '../../shared/wire/trigger.ts'
import { createTrigger } from '../triggers/create-trigger.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'

/** The largest source, the largest params, and room for their JSON: every byte may be escaped. */
const BODY_MAX_BYTES = 8 * 1024 * 1024

const limited = bodyLimit({
  maxSize: BODY_MAX_BYTES,
  onError: () => {
    const message = `A trigger's record may have at most ${BODY_MAX_BYTES} bytes.`
    throw new ApiError(413, message, 'Send less source or fewer params.')
  },
})

/** `POST /api/triggers` (specification, Endpoints): the object first, then the index. */
export function registerTriggersCreate(app: App): void {
  app.post('/api/triggers', limited, async (c) => {
    const user = await requireUser(c)
    const { now, random, settings } = c.var.services
    const json = parseJson(await c.req.text(), c.req.header('content-type') ?? null)
    const body = validate(createTriggerRequest, json, 422)
    const context = { ownerId: user.id, macKey: settings.ID_MAC_KEY, now: now(), random }
    const record = await createTrigger(c.env, context, body)
    return c.json(record, 201, { location: `/api/triggers/${record.id}` })
  })
}
