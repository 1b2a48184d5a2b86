/**
 * Codes that people read from one screen and compare or type at another: eight characters of Crockford's base32, which has no
 * I, L, O or U, as `XXXX-XXXX`.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 40 bits are eight characters. */
export const CODE_BYTES = 5

const CODE = new RegExp(`^[${ALPHABET}]{8}$`)

/** Of the first 40 bits of some bytes. */
export function crockfordCode(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes.subarray(0, CODE_BYTES)) bits = (bits << 8n) | BigInt(byte)
  let code = ''
  for (let shift = 35n; shift >= 0n; shift -= 5n) code += ALPHABET[Number((bits >> shift) & 31n)]!
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/**
 * A code as somebody typed it: in any case, with or without hyphens and spaces, O for 0, I and L for 1 (Crockford, "Base 32").
 * `undefined` for what can be none.
 */
export function readCrockfordCode(typed: string): string | undefined {
  const characters = typed
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (!CODE.test(characters)) return undefined
  return `${characters.slice(0, 4)}-${characters.slice(4)}`
}
