import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { BODY_WITHIN_MS } from '../../shared/limits.ts'
import { isFromOwnPage } from '../identity/csrf.ts'
import type { AppEnv } from './app-env.ts'
import { readBody } from './body-bytes.ts'
import { notice } from './page.tsx'

/** Forms have a few short fields; the longest includes a path of 1 KiB. Bounded, because anyone can post a form. */
const FORM_MAX_BYTES = 8 * 1024

/**
 * Returns the fields of a form sent by one of our pages, or the page that rejects it. Every form POST goes through this
 * function: a form from another site (CSRF, including login CSRF) is rejected before its fields are read.
 */
export async function readOwnForm(
  c: Context<AppEnv>,
  { maxBytes = FORM_MAX_BYTES } = {},
): Promise<URLSearchParams | Response> {
  const foreign = await refuseForeignForm(c)
  if (foreign) return foreign
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    return notice(c, {
      status: 415,
      title: 'This is not a form',
      text: 'Send the fields as application/x-www-form-urlencoded, as the form on this page does.',
    })
  }
  const text = await readText(c.req.raw, maxBytes)
  if (text === undefined) {
    return notice(c, {
      status: 413,
      title: 'This form is too long',
      text: `Nothing was done: a form may have at most ${maxBytes} bytes.`,
    })
  }
  return new URLSearchParams(text)
}

/** Returns the page that rejects a form from another site, based on its headers alone. Does not read the body. */
export async function refuseForeignForm(c: Context<AppEnv>): Promise<Response | undefined> {
  const source = { origin: c.req.header('origin'), fetchSite: c.req.header('sec-fetch-site') }
  if (isFromOwnPage(source, c.var.services.settings.PUBLIC_URL)) return undefined
  return notice(c, {
    status: 403,
    title: 'This form did not come from this site',
    text: 'Nothing was done. Open the page on this site itself and send the form from there; a browser or an extension that hides where forms come from has to let this site see it.',
  })
}

/**
 * Returns the text, or `undefined` if it is too long. Does not read beyond the limit.
 * @throws {ApiError} 400 if it does not arrive in time
 */
async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  try {
    const bytes = await readBody(request, { maxBytes, withinMs: BODY_WITHIN_MS })
    return new TextDecoder().decode(bytes)
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) return undefined
    throw error
  }
}
