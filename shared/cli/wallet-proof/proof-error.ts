/** Reasons for refusing a proof. Part of the JSON output, so they must stay stable. */
export type ProofFlaw =
  // The bundle and the evidence
  | 'malformed'
  | 'evidence'
  // The statement of the origin
  | 'statement'
  | 'other_application'
  | 'other_wallet'
  | 'exportable'
  // The chain
  | 'other_chain'
  | 'other_contract'
  | 'other_account'
  | 'not_registered'
  | 'not_in_order'
  | 'history_gap'
  | 'wrong_delay'
  | 'immutable_changed'
  | 'after_the_block'
  | 'not_the_recorded_policy'
  | 'locked_to_another_policy'
  // Documents
  | 'invalid_document'
  | 'unknown_document'
  | 'missing_document'
  | 'other_terms'
  | 'loosened_at_once'
  // Receipts
  | 'receipt'
  | 'receipt_of_another_account'
  | 'receipt_without_the_wallet'
  | 'repeated_receipt'
  | 'policy_of_no_time'
  | 'policy_at_another_time'
  | 'unknown_rule'
  | 'other_sum'
  | 'too_much_remaining'

/** Thrown if a proof does not show that the wallet's key is under the policy. */
export class ProofRefusedError extends Error {
  override name = 'ProofRefusedError'
  readonly flaw: ProofFlaw

  /** @param reason a sentence without a full stop */
  constructor(flaw: ProofFlaw, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.flaw = flaw
  }
}

/** @throws {ProofRefusedError} unless the condition holds */
export function prove(condition: boolean, flaw: ProofFlaw, reason: string): asserts condition {
  if (!condition) throw new ProofRefusedError(flaw, reason)
}
