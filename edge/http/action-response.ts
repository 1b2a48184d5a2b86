/**
 * Responses that an action returns to the sender of a webhook (`options.respond`). They have the origin of this service,
 * which also serves the console. They must therefore never be a document that a browser renders with scripts.
 */
import { mediaTypeOf } from '../../shared/network/media-type.ts'

type ActionResponse = { status: number; headers: Record<string, string>; body: unknown }

/** Headers that an action may set. Others are dropped. */
const ALLOWED_HEADERS = ['content-type', 'content-language', 'retry-after']

/** Other types are served as text. Browsers execute scripts in HTML, XHTML, SVG and XSLT. */
const ALLOWED_TYPE =
  /^(application\/(json|xml|x-www-form-urlencoded|[a-z0-9.-]{1,64}\+json)|text\/(plain|xml|csv))$/

/**
 * `sandbox` gives the document an opaque origin and disables scripts, also in XML. `nosniff` prevents browsers from
 * treating text as HTML.
 */
const SAFE_HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

const NULL_BODY_STATUSES = [204, 205]

/**
 * Returns the response of an action as an HTTP response: `{status?, headers?, body?}`, or any other JSON with status 200.
 * Returns undefined if the status is not allowed.
 */
export function actionResponse(
  value: unknown,
  trace: Record<string, string>,
): Response | undefined {
  const { status, headers, body } = parseActionResponse(value)
  if (!isAllowedStatus(status)) return undefined
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  return new Response(NULL_BODY_STATUSES.includes(status) ? null : text, {
    status,
    headers: { 'content-type': type, ...allowedHeaders(headers), ...SAFE_HEADERS, ...trace },
  })
}

function parseActionResponse(value: unknown): ActionResponse {
  const whole = { status: 200, headers: {}, body: value ?? null }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return whole
  const names = Object.keys(value)
  const isResponse =
    names.length > 0 && names.every((name) => ['status', 'headers', 'body'].includes(name))
  const { status = 200, headers = {}, body } = value as Record<string, unknown>
  if (!isResponse || typeof status !== 'number' || !isTextRecord(headers)) return whole
  return { status, headers, body }
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  )
}

/** Redirects are not allowed: the URL of the service must not lead to other sites. */
function isAllowedStatus(status: number): boolean {
  return (
    Number.isInteger(status) && status >= 200 && status <= 599 && Math.floor(status / 100) !== 3
  )
}

function allowedHeaders(headers: Record<string, string>): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (!ALLOWED_HEADERS.includes(lower) || !/^[\x20-\x7e]{1,256}$/.test(value)) continue
    const isText = lower === 'content-type' && !ALLOWED_TYPE.test(mediaTypeOf(value))
    allowed[lower] = isText ? 'text/plain; charset=utf-8' : value
  }
  return allowed
}
