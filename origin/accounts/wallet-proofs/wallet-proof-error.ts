import type { ValidationFailure } from '../../../shared/json/json-body.ts'

type ProofFault =
  | ({ kind: 'form' } & ValidationFailure)
  /** Both times are in Unix seconds. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** The recovered ECDSA signer differs from the address, which has no contract. */
  | { kind: 'not_of_address'; address: string }
  | { kind: 'not_of_contract'; address: string }
  /** ERC-6492 signature, for a contract wallet that is not deployed. */
  | { kind: 'counterfactual' }

export class WalletProofError extends Error {
  override readonly name = 'WalletProofError'
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet proof was rejected: ${fault.kind}`)
    this.fault = fault
  }
}
