import { sha256 } from './sha256.ts'

/**
 * Compares the SHA-256 hashes of two tokens. The hashes have the same length, so the comparison takes constant time and
 * reveals nothing about the token.
 */
export async function isSameToken(sent: string, token: string): Promise<boolean> {
  return crypto.subtle.timingSafeEqual(await sha256(sent), await sha256(token))
}
