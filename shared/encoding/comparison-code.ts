import { crockfordCode } from './crockford-code.ts'

/**
 * Returns the code that both the agent and the approval page show: the first 40 bits of a 32-byte challenge, as
 * `XXXX-XXXX`. If an attacker sent the link, the page's code does not match the one in the user's own terminal.
 */
export function comparisonCode(challenge: Uint8Array): string {
  return crockfordCode(challenge)
}
