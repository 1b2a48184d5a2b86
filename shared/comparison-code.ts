/** Crockford's base32: no I, L, O or U, so that a code survives being read from one screen to another. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * What the agent prints and the page shows (`reference/triggers.md` 7.3): the first 40 bits of a challenge's
 * 32 bytes, as `XXXX-XXXX`. A link that somebody else sent has a code that no terminal of yours shows.
 */
export function comparisonCode(challenge: Uint8Array): string {
  let bits = 0n
  for (const byte of challenge.subarray(0, 5)) bits = (bits << 8n) | BigInt(byte)
  let code = ''
  for (let shift = 35n; shift >= 0n; shift -= 5n) code += CROCKFORD[Number((bits >> shift) & 31n)]!
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
