import { recoverAddress, Signature } from 'ethers'

/**
 * r, s and v in 0x hex. Other lengths, including the 64 bytes of EIP-2098, can only be verified by contract wallets.
 */
const SIGNATURE_CHARACTERS = 2 + 2 * 65

/** 27 and 28, or 0 and 1 from signers that omit the offset. */
const V_VALUES = new Set([0, 1, 27, 28])

/**
 * A signature with a high s is invalid (EIP-2), because anyone can derive it from the one with the low s.
 * @param digest 32 bytes in 0x hex
 * @param signature in 0x hex
 * @returns the signer's EIP-55 address, or undefined if the signature is not a valid ECDSA signature
 */
export function recoverSigner(digest: string, signature: string): string | undefined {
  if (signature.length !== SIGNATURE_CHARACTERS) return undefined
  if (!V_VALUES.has(Number.parseInt(signature.slice(-2), 16))) return undefined
  try {
    const parsed = Signature.from(signature)
    return parsed.isValid() ? recoverAddress(digest, parsed) : undefined
  } catch {
    // r or s is zero or not below the curve order, or r is not the x coordinate of a curve point.
    return undefined
  }
}
