import { recoverAddress, Signature } from 'ethers'

/** r, s and v. Shorter and longer ones, EIP-2098's 64 bytes among them, are for contract wallets to read. */
const CHARACTERS = 2 + 2 * 65

/** 27 and 28; 0 and 1 of signers that leave the offset out. */
const VS = new Set([0, 1, 27, 28])

/**
 * Whose key made a signature.
 * @param digest 0x hex of 32 bytes
 * @param signature 0x hex
 * @returns EIP-55; undefined for what is no ECDSA signature, s in the upper half of the order included (EIP-2): it is
 *   the second of two that are made of one, by anybody
 */
export function signerOf(digest: string, signature: string): string | undefined {
  if (signature.length !== CHARACTERS) return undefined
  if (!VS.has(Number.parseInt(signature.slice(-2), 16))) return undefined
  try {
    const parsed = Signature.from(signature)
    return parsed.isValid() ? recoverAddress(digest, parsed) : undefined
  } catch {
    // r or s is 0 or not below the order, or r is no point's.
    return undefined
  }
}
