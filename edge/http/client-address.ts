import type { Settings } from '../env.ts'

/** Address of every client of a local stack, which has no trustworthy source of addresses. */
const LOCAL_ADDRESS = '127.0.0.1'

/**
 * Returns the client's address. In production it comes from `CF-Connecting-IP`, which Cloudflare overwrites if a client
 * sends it; no other header is trusted. Returns `''` if the header is missing.
 */
export function clientAddress(request: Request, { SVC_ENV }: Pick<Settings, 'SVC_ENV'>): string {
  if (SVC_ENV !== 'production') return LOCAL_ADDRESS
  return (request.headers.get('cf-connecting-ip') ?? '').slice(0, 64)
}
