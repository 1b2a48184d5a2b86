import type { ValidationFailure } from '../../../shared/json/json-body.ts'

type ProofFault =
  | ({ kind: 'form' } & ValidationFailure)
  /** The proof's timestamp is outside the accepted window. `issuedAt` and `now` are in Unix seconds. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** The address is not the recovered ECDSA signer, and has no contract that could verify the signature. */
  | { kind: 'not_of_address'; address: string }
  | { kind: 'not_of_contract'; address: string }
  /** The signature is for a contract wallet that is not deployed (ERC-6492). */
  | { kind: 'counterfactual' }

export class WalletProofError extends Error {
  override readonly name = 'WalletProofError'
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet proof was rejected: ${fault.kind}`)
    this.fault = fault
  }
}
