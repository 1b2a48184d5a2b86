import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { BODY_TIMEOUT_MS } from '../../../shared/limits.ts'
import { mediaTypeOf } from '../../../shared/network/media-type.ts'
import { isSameOriginRequest } from '../../identity/csrf.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { readBody } from '../../http/body-bytes.ts'
import { noticePage } from '../layout/render-page.tsx'

/** Maximum size of a form by default. Forms have a few short fields, the longest of which is a path of up to 1 KiB. */
const FORM_MAX_BYTES = 8 * 1024

/**
 * Reads the fields of a form, or returns an error page if the form is rejected. Every form must be read by this
 * function, because it rejects forms from other sites (CSRF, including login CSRF).
 */
export async function readSameOriginForm(
  c: Context<AppEnv>,
  { maxBytes = FORM_MAX_BYTES } = {},
): Promise<URLSearchParams | Response> {
  const rejection = await rejectCrossOriginForm(c)
  if (rejection) return rejection
  if (mediaTypeOf(c.req.header('content-type')) !== 'application/x-www-form-urlencoded') {
    return noticePage(c, {
      status: 415,
      title: 'Not a form submission',
      text: 'Send the fields as application/x-www-form-urlencoded, as the form on this page does.',
    })
  }
  const text = await readText(c.req.raw, maxBytes)
  if (text === undefined) {
    return noticePage(c, {
      status: 413,
      title: 'This form is too large',
      text: `Nothing was changed: the limit for a form is ${maxBytes} bytes.`,
    })
  }
  return new URLSearchParams(text)
}

/**
 * Returns an error page for a form from another site, and `undefined` for our own forms. Checks only the headers,
 * without reading the body.
 */
export async function rejectCrossOriginForm(c: Context<AppEnv>): Promise<Response | undefined> {
  if (isSameOriginRequest(c.req.raw, c.var.services.settings.PUBLIC_URL)) return undefined
  return noticePage(c, {
    status: 403,
    title: 'This form did not come from this site',
    text: 'Nothing was changed. Open the page on this site and send the form from there. If your browser or an extension hides the origin of forms, make an exception for this site.',
  })
}

/**
 * Returns `undefined` if the body is too long, and does not read beyond the limit.
 * @throws {ApiError} 400 if the body does not arrive in time
 */
async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  try {
    const bytes = await readBody(request, { maxBytes, withinMs: BODY_TIMEOUT_MS })
    return new TextDecoder().decode(bytes)
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) return undefined
    throw error
  }
}
