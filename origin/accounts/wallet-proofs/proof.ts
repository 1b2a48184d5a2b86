import type { Purpose } from '../../../shared/typed-data.ts'

/** Proof that a wallet authorizes a request: typed data in the required form, with the wallet's signature. */
export type WalletProof = {
  /** EIP-55 address of the wallet, as claimed by the proof. The signature has not been verified yet. */
  address: string
  purpose: Purpose
  /** Time of the proof in Unix seconds. It is within the accepted window. */
  issuedAt: number
  /** EIP-712 digest of the typed data: 32 bytes in lower-case 0x hex. */
  digest: string
  /** Signature in 0x hex. It has 65 bytes for an externally owned account, and any length for a contract wallet. */
  signature: string
}
