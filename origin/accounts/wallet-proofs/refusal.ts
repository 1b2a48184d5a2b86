import type { Misfit } from '../../../shared/json-body.ts'

export type ProofFault =
  | ({ kind: 'form' } & Misfit)
  /** Seconds since 1970, both. */
  | { kind: 'outside_window'; issuedAt: bigint; now: number }
  /** By nobody's ECDSA key that has this address, and there is no contract that could be asked. */
  | { kind: 'not_of_address'; address: string }
  /** The contract at this address was asked, and did not answer ERC-1271's magic value. */
  | { kind: 'not_of_contract'; address: string }
  /** In the form of ERC-6492, for a wallet that is not deployed. */
  | { kind: 'counterfactual' }

/** What was sent does not show that a wallet asks. */
export class WalletProofRefused extends Error {
  readonly fault: ProofFault

  constructor(fault: ProofFault) {
    super(`the wallet's proof is refused: ${fault.kind}`)
    this.name = 'WalletProofRefused'
    this.fault = fault
  }
}
