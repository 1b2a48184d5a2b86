import { isLoopback } from '../loopback.ts'
import type { Verify } from '../client/options.ts'

/**
 * When a command verifies the origin that it sends a key to: always, but where it is this very machine: nothing between it and
 * the command could be another, and its evidence is simulated.
 */
export function verificationFor(baseUrl: string): { verify: Verify } {
  return { verify: isLoopback(new URL(baseUrl).hostname) ? 'never' : 'once' }
}
