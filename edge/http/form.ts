import type { Context } from 'hono'
import { isFromOwnPage } from '../identity/csrf.ts'
import type { AppEnv } from './app-env.ts'
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
  const source = { origin: c.req.header('origin'), fetchSite: c.req.header('sec-fetch-site') }
  if (!isFromOwnPage(source, c.var.services.settings.PUBLIC_URL)) {
    return notice(c, {
      status: 403,
      title: 'This form did not come from this site',
      text: 'Nothing was done. Open the page on this site itself and send the form from there; a browser or an extension that hides where forms come from has to let this site see it.',
    })
  }
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    return notice(c, {
      status: 415,
      title: 'This is not a form',
      text: 'Send the fields as application/x-www-form-urlencoded, as the form on this page does.',
    })
  }
  const text = await readText(c.req.raw.body, maxBytes)
  if (text === undefined) {
    return notice(c, {
      status: 413,
      title: 'This form is too long',
      text: `Nothing was done: a form may have at most ${maxBytes} bytes.`,
    })
  }
  return new URLSearchParams(text)
}

/** The text, or `undefined` for one that is too long: what comes after the limit is not read. */
async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (!body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
