import type { Purpose } from '../../../shared/typed-data.ts'

/** Proof that a wallet authorizes a request: typed data in the exact form, and the wallet's signature of it. */
export type WalletProof = {
  /** EIP-55. The signature is not verified yet. */
  address: string
  purpose: Purpose
  /** Unix seconds, within the window. */
  issuedAt: number
  /** 0x hex of 32 bytes, lower-case. */
  digest: string
  /** 0x hex; 65 bytes for an externally owned account, any length for a contract wallet. */
  signature: string
}
