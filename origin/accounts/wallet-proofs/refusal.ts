import type { Misfit } from '../../../shared/json-body.ts'

export type ProofFault =
  | ({ kind: 'form' } & Misfit)
  /** Both times are in Unix seconds. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** The recovered ECDSA signer differs from the address, which has no contract. */
  | { kind: 'not_of_address'; address: string }
  | { kind: 'not_of_contract'; address: string }
  /** ERC-6492 signature, for a contract wallet that is not deployed. */
  | { kind: 'counterfactual' }

export class WalletProofRefused extends Error {
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet proof was rejected: ${fault.kind}`)
    this.name = 'WalletProofRefused'
    this.fault = fault
  }
}
