import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { parseJson, validate } from '../../shared/json-body.ts'
import { CORE_BODY_MAX_BYTES } from '../../shared/limits.ts'

/**
 * A request's body, validated, and its text as it was sent.
 * @throws {ApiError} 400, 415 or 422
 */
export async function bodyOf<Body>(
  context: Context,
  body: { schema: z.ZodType<Body>; optional?: boolean } | undefined,
): Promise<{ value: Body; text: string }> {
  // An operation without a body has `undefined` for its type, and no handler that looks at it.
  if (!body) return { value: undefined as Body, text: '' }
  const text = await context.req.text()
  const json = parseJson(text, context.req.header('content-type') ?? null, body.optional)
  return { value: validate(body.schema, json), text }
}

/** Middleware that ends what is larger than any request has to be, whether it says its length or not. */
export const limitedBody = bodyLimit({
  maxSize: CORE_BODY_MAX_BYTES,
  onError: () => {
    throw new ApiError(
      413,
      `The request's body is larger than ${CORE_BODY_MAX_BYTES} bytes.`,
      'Send less: source at most 16 MiB, js_params at most 8 MiB.',
    )
  },
})
