/** The ETag is the text's SHA-256 digest. A client that already has the text receives 304 (RFC 9110, 13.1.2). */
import type { Context } from 'hono'
import { encodeHex } from '../../shared/encoding/hex.ts'
import { sha256 } from '../sha256.ts'
import type { AppEnv } from './app-env.ts'

/** @param digest SHA-256 of the text in hex; computed if omitted */
export async function withEtag(
  c: Context<AppEnv>,
  text: string,
  headers: Record<string, string>,
  digest?: string,
): Promise<Response> {
  const etag = `"${digest ?? encodeHex(await sha256(text))}"`
  const all = { ...headers, etag, 'cache-control': 'public, max-age=300' }
  if (matchesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, all)
  return c.body(text, 200, all)
}

/** Weak comparison. The value `*` matches any ETag. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
