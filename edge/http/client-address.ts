import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import type { Settings } from '../env.ts'

/** Client address in a local stack, which has no trustworthy source of client addresses. */
const LOCAL_ADDRESS = '127.0.0.1'

/**
 * Returns the client's IP address, or `''` if it is unknown. In a public deployment, only the header `CF-Connecting-IP` is
 * trusted. Clients cannot forge this header, because Cloudflare overwrites it.
 */
export function clientAddress(request: Request, { SVC_ENV }: Pick<Settings, 'SVC_ENV'>): string {
  if (!ENVIRONMENTS[SVC_ENV].isPublic) return LOCAL_ADDRESS
  return (request.headers.get('cf-connecting-ip') ?? '').slice(0, 64)
}
