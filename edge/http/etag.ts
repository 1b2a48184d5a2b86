/**
 * Responses with an ETag, which is the SHA-256 digest of the text. A client that already has the text receives 304 (RFC
 * 9110, 13.1.2).
 */
import type { Context } from 'hono'
import { encodeHex } from '../../shared/encoding/hex.ts'
import { sha256 } from '../sha256.ts'
import type { AppEnv } from './app-env.ts'

/** @param digest SHA-256 digest of the text in hex; by default, it is computed from the text */
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

/** Compares ETags by weak comparison (RFC 9110). The value `*` matches any ETag. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
