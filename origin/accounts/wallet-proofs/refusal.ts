import type { Misfit } from '../../../shared/json-body.ts'

export type ProofFault =
  | ({ kind: 'form' } & Misfit)
  /** The time of the proof is outside the accepted window. Both times are in Unix seconds. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** The recovered ECDSA signer differs from the address, and no contract is deployed at the address. */
  | { kind: 'not_of_address'; address: string }
  /** The contract at the address did not return ERC-1271's magic value. */
  | { kind: 'not_of_contract'; address: string }
  /** The signature is an ERC-6492 signature, for a contract wallet that is not deployed. */
  | { kind: 'counterfactual' }

/** Thrown if a request does not prove that the wallet authorizes it. */
export class WalletProofRefused extends Error {
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet proof was rejected: ${fault.kind}`)
    this.name = 'WalletProofRefused'
    this.fault = fault
  }
}
