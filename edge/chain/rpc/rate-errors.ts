/** How providers say that they are asked too often. */
import type { RpcError } from './json-rpc.ts'

/** Codes that say it whatever the text: EIP-1474's, HTTP's, and those of Alchemy, QuickNode, Base, Ankr and Cloudflare. */
const CODES: ReadonlySet<number> = new Set([-32005, -32007, -32016, -32029, -32090, -32097, 429])

const TEXTS =
  /rate.?limit|too many requests|compute units|request limit|requests? per|per second|throughput|limit exceeded|quota|credits|throttl|over limit|request count exceeded|capacity|slow down|try again later|daily limit|monthly/i

/** Of an error that does not speak of a range or of addresses: some of those have the same code. */
export function isRateLimit({ code, message }: RpcError): boolean {
  return CODES.has(code) || TEXTS.test(message)
}

/** A provider that asks for longer, for a day perhaps, is looked at again all the same. */
const RETRY_AFTER_MAX_MS = 300_000

/** `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. @returns milliseconds; `undefined` where it is neither */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}
