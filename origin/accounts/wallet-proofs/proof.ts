import type { Purpose } from '../../../shared/typed-data.ts'

/** What a request carries to show that a wallet asks: typed data in the exact form, and the wallet's signature of it. */
export type WalletProof = {
  /** EIP-55. Its signature is not verified yet. */
  address: string
  purpose: Purpose
  /** Unix seconds, within the window. */
  issuedAt: number
  /** 0x hex of 32 bytes, lower-case. */
  digest: string
  /** 0x hex; 65 bytes of an externally owned account, any length of a contract wallet. */
  signature: string
}
