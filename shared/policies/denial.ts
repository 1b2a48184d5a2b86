/** Reasons for which a request is denied, with their meaning in words. Programs can rely on the codes. */
export const DENIAL_CODES = {
  malformed_request: 'The request does not have the required form.',
  unknown_field: 'The request has a field that is not supported, so its meaning is unknown.',
  missing_field: 'A required field is missing.',
  invalid_address: 'An address is not 0x and 40 hex digits.',
  bad_checksum: 'An address in mixed case does not have a valid EIP-55 checksum.',
  ens_name: 'A name is not an address: whoever resolves it decides on the recipient.',
  invalid_number: 'A number is negative, too large, or not written in the required form.',
  invalid_hex: 'Bytes are not written as 0x and an even number of hex digits.',
  other_sender: 'The field from names an address other than the wallet.',
  chain_missing: 'The transaction has no chain ID, so it is valid on every chain.',
  chain_zero: 'The chain ID is 0.',
  conflicting_fields: 'Two fields of the transaction contradict each other.',
  data_too_long: 'The data is longer than a chain accepts.',
  no_selector: 'The data is too short for a function selector.',
  data_truncated: 'The calldata ends before its last argument.',
  trailing_data: 'The calldata continues after its last argument.',
  bad_offset:
    'An offset in the calldata does not point to the place where the canonical encoding has it.',
  dirty_padding: 'Padding in the calldata is not zero.',
  invalid_bool: 'A bool in the calldata is neither 0 nor 1.',
  number_out_of_range: 'A number does not fit its type.',
  invalid_text: 'A string is not valid Unicode.',
  not_canonical: 'The data is not the canonical encoding of its values.',
  unknown_type: 'The typed data uses a type that is not defined.',
  invalid_type:
    'A type of the typed data is defined incorrectly, or the value does not have this type.',
  extra_field: 'The typed data has a field that its type does not have.',
  no_rule: 'The policy has no rule for requests of this kind.',
  denied_by_rule: 'A rule denies the request.',
  action_not_allowed: 'The rule does not name the action.',
  outside_hours: 'The rule does not apply at this time.',
  chain_not_allowed: 'The rule does not name the chain.',
  transaction_type: 'The rule does not name this type of transaction.',
  contract_creation: 'The transaction creates a contract, which the rule does not name.',
  recipient_not_allowed: 'The rule does not name the recipient.',
  zero_address: 'The recipient is the zero address, which the rule does not name.',
  data_not_allowed: 'The transaction has data, but the rule allows only plain transfers.',
  function_not_allowed: 'The rule does not name the function.',
  condition_failed: 'An argument or a field does not fulfill a condition of the rule.',
  value_over_max: 'The native value is higher than the rule allows.',
  gas_limit_over_max: 'The gas limit is higher than the rule allows.',
  gas_price_over_max: 'The gas price is higher than the rule allows.',
  nested_calls: 'The function executes calls that the policy does not check.',
  delegate_call:
    'The function executes code of another contract in the name of the wallet or its contract.',
  unlimited_approval: 'The approval is unlimited, which the rule does not name.',
  not_counted: 'The rule limits sums, but none of its sums counts this transfer or approval.',
  over_sum: 'The request exceeds the rest of a sum.',
  too_many_sums:
    'The request would add to more than 1,024 sums, for example by a batch of transfers.',
  message_not_allowed: 'The rule does not name the message.',
  binary_message: 'The message is not text, and could be a hash that means something else.',
  domain_not_allowed: 'The rule does not name the domain.',
  domain_chain_missing: 'The domain has no chain ID, so the signature is valid on every chain.',
  type_not_allowed: 'The rule does not name the type.',
} as const

export type DenialCode = keyof typeof DENIAL_CODES

/** The request is denied whatever other rules say: it is malformed, or its data has no unambiguous meaning. */
export class DeniedError extends Error {
  override name = 'DeniedError'
  readonly code: DenialCode

  /** @param reason continues a sentence after the request's description, without a full stop */
  constructor(code: DenialCode, reason: string) {
    super(reason)
    this.code = code
  }
}
