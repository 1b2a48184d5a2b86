/**
 * Alphabet of codes that people compare or retype: eight characters of Crockford's base32 (no I, L, O, U), as
 * `XXXX-XXXX`.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export const CODE_BYTES = 5

const CODE = new RegExp(`^[${ALPHABET}]{8}$`)

export function crockfordCode(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes.subarray(0, CODE_BYTES)) bits = (bits << 8n) | BigInt(byte)
  let code = ''
  for (let shift = 35n; shift >= 0n; shift -= 5n) code += ALPHABET[Number((bits >> shift) & 31n)]!
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/**
 * Returns the comparison code that both the agent and the approval page show: the first 40 bits of a 32-byte challenge,
 * as `XXXX-XXXX`. If an attacker sent the link, the page's code does not match the code in the user's own terminal.
 */
export function comparisonCode(challenge: Uint8Array): string {
  return crockfordCode(challenge)
}

/**
 * Parses a typed code. Accepts any case, hyphens and spaces, O for 0, and I or L for 1 (Crockford, "Base 32"). Returns
 * `undefined` if the text cannot be a code.
 */
export function parseCrockfordCode(typed: string): string | undefined {
  const characters = typed
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (!CODE.test(characters)) return undefined
  return `${characters.slice(0, 4)}-${characters.slice(4)}`
}
