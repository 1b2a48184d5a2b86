/**
 * One operation of the core API, as data and a handler. Every operation is mounted by `mount`, in the order of
 * `decisions.md`: 401, then 400 and 422, then what the handler refuses, then the act.
 */
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { parseJson, validate } from '../../shared/json-body.ts'
import { CORE_BODY_MAX_BYTES } from '../../shared/limits.ts'
import type { Principal } from '../accounts/state.ts'
import type { Services } from '../services.ts'
import { authenticate, requireAccountKey } from './authenticate.ts'

export type OriginEnv = { Variables: { requestId: string } }
export type OriginApp = Hono<OriginEnv>

type Common<Auth, Body, Given> = {
  method: 'GET' | 'POST'
  path: string
  /** `none`; `key`: any valid key; `account_key`: the account's own, a usage key gets 403. */
  auth: Auth
  /** Absent where the operation takes no body. `optional` takes an empty body for `{}`. */
  body?: { schema: z.ZodType<Body>; optional?: boolean }
  handle(given: Given & { body: Body }, services: Services): Promise<object | string | boolean>
}

export type Operation<Body> =
  | Common<'none', Body, object>
  | Common<'key' | 'account_key', Body, { principal: Principal }>

export function mount<Body>(app: OriginApp, services: Services, operation: Operation<Body>): void {
  const { method, path } = operation
  app.on(method, path, limited, async (context) => {
    if (operation.auth === 'none') {
      const body = await bodyOf(context, operation)
      return context.json(await operation.handle({ body }, services))
    }
    const principal = authenticate(context.req.raw.headers, services.mirror)
    const body = await bodyOf(context, operation)
    if (operation.auth === 'account_key') requireAccountKey(principal)
    return context.json(await operation.handle({ principal, body }, services))
  })
}

async function bodyOf<Body>(
  context: Context<OriginEnv>,
  operation: Pick<Operation<Body>, 'body'>,
): Promise<Body> {
  // An operation without a body has `undefined` for its type, and no handler that looks at it.
  if (!operation.body) return undefined as Body
  const { schema, optional = false } = operation.body
  const text = await context.req.text()
  return validate(schema, parseJson(text, context.req.header('content-type') ?? null, optional))
}

const limited = bodyLimit({
  maxSize: CORE_BODY_MAX_BYTES,
  onError: () => {
    throw new ApiError(
      413,
      `The request's body is larger than ${CORE_BODY_MAX_BYTES} bytes.`,
      'Send less: source at most 16 MiB, js_params at most 8 MiB.',
    )
  },
})
