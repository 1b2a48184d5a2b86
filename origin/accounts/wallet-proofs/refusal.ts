import type { Misfit } from '../../../shared/json-body.ts'

export type ProofFault =
  | ({ kind: 'form' } & Misfit)
  /** Both in Unix seconds. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** The recovered ECDSA signer is not this address, and no contract is deployed at it. */
  | { kind: 'not_of_address'; address: string }
  /** The contract at this address did not return ERC-1271's magic value. */
  | { kind: 'not_of_contract'; address: string }
  /** An ERC-6492 signature, for a wallet that is not deployed. */
  | { kind: 'counterfactual' }

/** The request does not prove that the wallet authorizes it. */
export class WalletProofRefused extends Error {
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet's proof is refused: ${fault.kind}`)
    this.name = 'WalletProofRefused'
    this.fault = fault
  }
}
