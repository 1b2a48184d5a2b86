/**
 * Defines an operation of the trigger API as data and a handler. `mountApiOperation` checks requests in this order: 401
 * and 403, 429 for a write, 400, 413, 415 and 422, then the handler. `openapi.json` is generated from the same data.
 *
 * To add an operation: create a file that exports an `ApiOperation`, put its schemas in `shared/wire/`, and add the
 * operation to `api-operations.ts`.
 */
import type { Context } from 'hono'
import type { z } from 'zod'
import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { validate } from '../../shared/json/json-body.ts'
import type { Scope } from '../../shared/wire/agent.ts'
import { parseIdempotencyKey } from '../../shared/wire/idempotency-key.ts'
import type { AgentUser } from '../identity/agent-tokens.ts'
import type { App, AppEnv } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { readFields } from './json-request.ts'
import type { HeaderName } from './openapi/errors.ts'

type OperationInput<Body, Query> = {
  user: AgentUser
  /** The ID in the path; `''` if the path has none. */
  id: string
  body: Body
  query: Query
  /** Absent if the operation does not accept an Idempotency-Key. */
  idempotencyKey: string | undefined
}

type OperationBase = {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Path in OpenAPI syntax, such as `/api/triggers/{id}`. */
  path: string
  id: string
  summary: string
  /** Required scope, or `null` if any token is sufficient. */
  scope: Scope | null
  success: { status: 200 | 201 | 202 | 204; schema?: z.ZodType; headers?: HeaderName[] }
  /** Description of the Idempotency-Key header, if the operation accepts it. */
  idempotencyKey?: string
  /** Error statuses in addition to those that the other fields imply. */
  failures?: ErrorStatus[]
}

type BodyContract<Body> = { schema: z.ZodType<Body>; maxBytes: number; optional?: true }

/** An operation whose handler takes a body or a query must have its schema. */
export type ApiOperation<Body = undefined, Query = undefined> = OperationBase &
  ([Body] extends [undefined] ? { body?: never } : { body: BodyContract<Body> }) &
  ([Query] extends [undefined] ? { query?: never } : { query: z.ZodType<Query> }) & {
    handle(c: Context<AppEnv>, given: OperationInput<Body, Query>): Promise<Response>
  }

/** Any operation, whatever its body and query are. */
export type AnyApiOperation = OperationBase & {
  body?: BodyContract<any>
  query?: z.ZodType<any>
  handle(c: Context<AppEnv>, given: OperationInput<any, any>): Promise<Response>
}

export function mountApiOperation(app: App, operation: AnyApiOperation): void {
  const { method, path, scope, query, body, idempotencyKey } = operation
  app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'), async (c) => {
    const user = await requireUser(c, scope)
    return operation.handle(c, {
      user,
      id: c.req.param('id') ?? '',
      body: body && (await readFields(c.req.raw, body.schema, body.maxBytes, body)),
      query: query && validate(query, c.req.query(), 422),
      idempotencyKey:
        idempotencyKey === undefined
          ? undefined
          : parseIdempotencyKey(c.req.header('idempotency-key')),
    })
  })
}
