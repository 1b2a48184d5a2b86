/** Text that is the same for everybody, with its digest as its tag: who has it already is answered 304 (RFC 9110, 13.1.2). */
import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'

/** @param digest of the text, where it is known already */
export async function withEtag(
  c: Context<AppEnv>,
  text: string,
  headers: Record<string, string>,
  digest?: string,
): Promise<Response> {
  const etag = `"${digest ?? (await sha256Hex(text))}"`
  const all = { ...headers, etag, 'cache-control': 'public, max-age=300' }
  if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304, all)
  return c.body(text, 200, all)
}

/** In UTF-8. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compared weakly; `*` is any. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
