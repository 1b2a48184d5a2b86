import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { BODY_WITHIN_MS } from '../../shared/limits.ts'
import { isFromOwnPage } from '../identity/csrf.ts'
import type { AppEnv } from './app-env.ts'
import { readBody } from './body-bytes.ts'
import { notice } from './page.tsx'

/** A form of a sentence or two: the longest has a path of 1 KiB in it. Anyone may post, so what is read has an end. */
const FORM_MAX_BYTES = 8 * 1024

/**
 * The fields of a form that a page of ours sent, or the page that refuses it. Every POST from a browser goes
 * through here: another site's form (CSRF, and login CSRF) ends before its fields are read.
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

/** The page that refuses a form which no page of ours sent: its headers say so, and its body is not read. */
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
 * The text, or `undefined` for one that is too long: what comes after the limit is not read.
 * @throws {ApiError} 400 for one that is not there in time
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
