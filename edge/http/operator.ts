import type { Context } from 'hono'
import { bearerToken } from '../../shared/wire/api-key.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { OPERATOR_PATH, operatorRequest } from '../../shared/wire/operator.ts'
import { listActions } from '../operator/audit-log.ts'
import { performCommand } from '../operator/perform-command.ts'
import type { App, AppEnv } from './app-env.ts'
import { countRejectedToken } from './authenticate.ts'
import { readFields } from './json-request.ts'
import { isSameToken } from '../same-token.ts'
import { unmatchedRoute } from './unmatched-route.ts'

/** An exported trigger has a few more fields than the request that creates it. */
const BODY_MAX_BYTES = TRIGGER_BODY_MAX_BYTES + 16 * 1024

/** If the setting `OPERATOR_TOKEN` is absent, responds with 404, as for an unknown path. */
export function registerOperator(app: App): void {
  app.get(OPERATOR_PATH, async (c) => {
    await requireOperator(c)
    return c.json(await listActions(c.var.services.db), 200, NOT_STORED)
  })
  app.post(OPERATOR_PATH, async (c) => {
    await requireOperator(c)
    const request = await readFields(c.req.raw, operatorRequest, BODY_MAX_BYTES)
    return c.json(await performCommand(c.env, c.var.services, request), 200, NOT_STORED)
  })
}

const NOT_STORED = { 'cache-control': 'no-store' }

async function requireOperator(c: Context<AppEnv>): Promise<void> {
  const { OPERATOR_TOKEN: token } = c.var.services.settings
  if (token === undefined) throw unmatchedRoute(c.req.method, [])
  if (await isSameToken(bearerToken(c.req.header('authorization')) ?? '', token)) return
  await countRejectedToken(c)
  throw new ApiError(
    401,
    'The operator token is missing or wrong.',
    'Send Authorization: Bearer with the value of OPERATOR_TOKEN.',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}
