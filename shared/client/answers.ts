import { ANSWER_MAX_BYTES } from './limits.ts'
import { type Named, REASON_HEADER, reasonOf } from '../errors.ts'
import { RECEIPT_HEADER } from '../receipt-header.ts'
import { bodyWithin } from './body-within.ts'
import { withoutKeys, withoutSecret } from './credential.ts'
import { SvcError } from './failures.ts'
import { ActionFailed } from './failures/action-failed.ts'
import { refusalOf } from './failures/by-status.ts'
import { NotTheApi } from './failures/on-the-way.ts'
import type { Answered, Credential, Question } from './request.ts'
import { retryAfterOf } from './retry-after.ts'

export type Read = { answered: Answered<unknown> } | { failure: SvcError; wasExecuted: boolean }

/**
 * @param now Unix milliseconds, to interpret a `Retry-After` date
 * @throws the error of `fetch` if the connection breaks
 */
export async function answerOf(
  response: Response,
  { credential, wants = 'json' }: Question,
  now: number,
): Promise<Read> {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const isForeign = (what: string): Read => ({
    failure: new NotTheApi(what, status, requestId),
    wasExecuted: false,
  })
  // The type definitions of Cloudflare Workers lack the response type 'opaqueredirect'.
  const how: string = response.type
  if (how === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    return isForeign('a redirect, which is not followed')
  }
  const bytes = await bodyWithin(response, ANSWER_MAX_BYTES)
  if (!bytes) return isForeign('a response larger than the limit')
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  const text = new TextDecoder().decode(bytes)
  const answered = (body: unknown): Read => ({ answered: { status, headers, body, requestId } })
  if (response.ok && wants === 'csv' && type === 'text/csv') return answered(text)
  if (status === 204) return answered(undefined)
  const json = isJson(type) ? parsed(text) : undefined
  if (!json) return isForeign(/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'not JSON')
  if (response.ok) return answered(json.value)
  const failure = failureOf(json.value, { status, headers, requestId, credential, now })
  if (!failure) return isForeign('JSON that is not an API error')
  return { failure, wasExecuted: headers.has(RECEIPT_HEADER) }
}

type Refused = {
  status: number
  headers: Headers
  requestId: string | undefined
  credential: Credential | undefined
  now: number
}

/** The body is a structured error, or a JSON string that reports a contract revert or a failed action. */
function failureOf(
  body: unknown,
  { status, headers, requestId, credential, now }: Refused,
): SvcError | undefined {
  const named = headers.get(REASON_HEADER)
  const clean = (text: string) => withoutKeys(text, credential)
  const facts = { status, requestId, retryAfterS: retryAfterOf(headers.get('retry-after'), now) }
  if (typeof body === 'string') {
    const receipt = headers.get(RECEIPT_HEADER) ?? undefined
    if (status === 500)
      return new ActionFailed(withoutSecret(body, credential), {
        code: clean(named ?? 'action_failed'),
        requestId,
        receipt,
      })
    return refusalOf(clean(body), { ...facts, code: clean(named ?? 'refused'), fix: FIX })
  }
  if (!isStructured(body)) return undefined
  const code = clean(named ?? reasonOf(body))
  return refusalOf(clean(body.message), { ...facts, code, fix: clean(body.fix) })
}

const FIX = 'Correct what the message names, and call again.'

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function isStructured(body: unknown): body is Named & { message: string; fix: string } {
  if (typeof body !== 'object' || body === null) return false
  const has = (name: string) => typeof Reflect.get(body, name) === 'string'
  return has('error') && has('message') && has('fix') && (has('reason') || !('reason' in body))
}
