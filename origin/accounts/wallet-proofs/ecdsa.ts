import { recoverAddress, Signature } from 'ethers'

/** r, s and v. Other lengths, including the 64 bytes of EIP-2098, are left to contract wallets. */
const CHARACTERS = 2 + 2 * 65

/** 27 and 28, or 0 and 1 from signers that omit the offset. */
const VS = new Set([0, 1, 27, 28])

/**
 * Recovers the signer of a signature.
 * @param digest 0x hex of 32 bytes
 * @param signature 0x hex
 * @returns EIP-55 address; undefined if it is not a valid ECDSA signature. A high s is invalid too (EIP-2): anyone can
 *   derive it from the low-s signature
 */
export function signerOf(digest: string, signature: string): string | undefined {
  if (signature.length !== CHARACTERS) return undefined
  if (!VS.has(Number.parseInt(signature.slice(-2), 16))) return undefined
  try {
    const parsed = Signature.from(signature)
    return parsed.isValid() ? recoverAddress(digest, parsed) : undefined
  } catch {
    // r or s is zero or not below the curve order, or r is not the x coordinate of a curve point.
    return undefined
  }
}
