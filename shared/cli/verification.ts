import { isLoopback } from '../network/loopback.ts'
import type { Verify } from '../client/verification/client-policy.ts'

/** Loopback hosts are exempt, because no other machine can intercept the connection and their evidence is simulated. */
export function verificationFor(baseUrl: string): { verify: Verify } {
  return { verify: isLoopback(new URL(baseUrl).hostname) ? 'never' : 'once' }
}
