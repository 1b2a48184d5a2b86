import type { Settings } from '../env.ts'

/** Who asks in a local stack: nothing there sets an address truthfully. */
const LOCAL_ADDRESS = '127.0.0.1'

/**
 * The address that a request came from (`decisions.md`, Client address): in production what Cloudflare says, which
 * replaces what a client sends under that name; never another header. `''` where it says none.
 */
export function clientAddress(request: Request, { SVC_ENV }: Pick<Settings, 'SVC_ENV'>): string {
  if (SVC_ENV !== 'production') return LOCAL_ADDRESS
  return (request.headers.get('cf-connecting-ip') ?? '').slice(0, 64)
}
