import { recoverAddress, Signature } from 'ethers'

/**
 * Length of an ECDSA signature in 0x hex: r, s and v. Only contract wallets can verify signatures of other lengths,
 * including the 64 bytes of EIP-2098.
 */
const SIGNATURE_CHARACTERS = 2 + 2 * 65

/** Accepted values of v: 27 and 28, or 0 and 1 from signers that omit the offset. */
const V_VALUES = new Set([0, 1, 27, 28])

/**
 * Recovers the signer of a digest. A signature with a high s is invalid (EIP-2), because anyone can derive it from the
 * signature with the low s.
 * @returns the signer's EIP-55 address, or undefined if the signature is not a valid ECDSA signature
 */
export function recoverSigner(digest: string, signature: string): string | undefined {
  if (signature.length !== SIGNATURE_CHARACTERS) return undefined
  if (!V_VALUES.has(Number.parseInt(signature.slice(-2), 16))) return undefined
  try {
    const parsed = Signature.from(signature)
    return parsed.isValid() ? recoverAddress(digest, parsed) : undefined
  } catch {
    // ethers throws if r or s is zero or not below the curve order, or if r is not the x coordinate of a curve point.
    return undefined
  }
}
