import { crockfordCode } from './crockford-code.ts'

/**
 * What the agent prints and the page shows (`reference/triggers.md` 7.3): the first 40 bits of a challenge's
 * 32 bytes, as `XXXX-XXXX`. A link that somebody else sent has a code that no terminal of yours shows.
 */
export function comparisonCode(challenge: Uint8Array): string {
  return crockfordCode(challenge)
}
