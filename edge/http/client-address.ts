import type { Settings } from '../env.ts'

/** A local stack has no trustworthy source of client addresses. */
const LOCAL_ADDRESS = '127.0.0.1'

/**
 * In production, read from `CF-Connecting-IP`, which clients cannot forge because Cloudflare overwrites it. No other
 * header is trusted. Returns `''` if the header is missing.
 */
export function clientAddress(request: Request, { SVC_ENV }: Pick<Settings, 'SVC_ENV'>): string {
  if (SVC_ENV !== 'production') return LOCAL_ADDRESS
  return (request.headers.get('cf-connecting-ip') ?? '').slice(0, 64)
}
