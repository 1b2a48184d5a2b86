import { isLoopback } from '../loopback.ts'
import type { Verify } from '../client/options.ts'

/**
 * Returns whether a command verifies the origin before sending a key. Loopback hosts are exempt: no other machine can
 * be in between, and their evidence is simulated.
 */
export function verificationFor(baseUrl: string): { verify: Verify } {
  return { verify: isLoopback(new URL(baseUrl).hostname) ? 'never' : 'once' }
}
