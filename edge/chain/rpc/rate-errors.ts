import type { RpcError } from './json-rpc.ts'

/** Error codes that always mean a rate limit, from EIP-1474, HTTP, Alchemy, QuickNode, Base, Ankr and Cloudflare. */
const CODES: ReadonlySet<number> = new Set([-32005, -32007, -32016, -32029, -32090, -32097, 429])

const TEXTS =
  /rate.?limit|too many requests|compute units|request limit|requests? per|per second|throughput|limit exceeded|quota|credits|throttl|over limit|request count exceeded|capacity|slow down|try again later|daily limit|monthly/i

/** Callers must first exclude errors about a range or addresses, because some of those have the same code. */
export function isRateLimit({ code, message }: RpcError): boolean {
  return CODES.has(code) || TEXTS.test(message)
}

/**
 * Maximum delay taken from `Retry-After`. If an endpoint requests a longer delay, such as a day, it is tried again
 * after this delay.
 */
const RETRY_AFTER_MAX_MS = 300_000

/** Parses a `Retry-After` header, which contains a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}
