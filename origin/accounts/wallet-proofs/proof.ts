import type { Purpose } from '../../../shared/crypto/typed-data.ts'

/** Typed data in which a wallet authorizes a request, with the wallet's signature. */
export type WalletProof = {
  /** EIP-55 address that the proof claims. The signature has not been verified yet. */
  address: string
  purpose: Purpose
  /** Unix seconds, within the accepted window. */
  issuedAt: number
  /** EIP-712 digest: 32 bytes in lower-case 0x hex. */
  digest: string
  /** 0x hex: 65 bytes for an externally owned account, any length for a contract wallet. */
  signature: string
}
