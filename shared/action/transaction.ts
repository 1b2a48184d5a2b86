/** A transaction that the service sends (docs/transactions.md). Amounts are decimal texts in wei, times are RFC 3339. */
export type Transaction = {
  /** `tx_` and 32 hex digits. */
  id: string
  state: TransactionState
  /** Why it is not further. */
  waiting_for: 'order' | 'funds' | 'fees' | 'nonce' | 'chain' | null
  waiting_message: string | null
  chain: string
  chain_id: number
  wallet_address: string
  pkp_id: string
  to: string
  /** Null if it was large, and the transaction ended long ago. */
  data: string | null
  value: string
  /** The gas limit. Null before it is estimated. */
  gas: string | null
  /** The highest fee that may be paid for a unit of gas. */
  max_fee_per_gas: string | null
  speed: 'fast' | 'normal' | 'cheap'
  nonce: number | null
  /** Every signed transaction, oldest first. */
  attempts: {
    hash: string
    kind: 'send' | 'speed_up' | 'cancel'
    nonce: number
    max_fee_per_gas: string
    max_priority_fee_per_gas: string
    created_at: string
  }[]
  /** The attempt that is in a block. */
  mined: {
    hash: string
    block_number: number
    block_hash: string
    gas_used: string
    effective_gas_price: string
  } | null
  /** Hash of the foreign transaction that used the nonce. */
  replaced_by: string | null
  failure: { code: TransactionFailureCode; message: string } | null
  /** The rule of the wallet's policy that allowed the last signature. */
  policy: { hash: string; rule: string } | null
  action_cid: string | null
  run_id: string | null
  step: number | null
  created_at: string
  updated_at: string
  /** Time since which the state cannot change any more. */
  ended_at: string | null
}

export type TransactionState =
  | 'queued'
  | 'signed'
  | 'broadcast'
  | 'mined'
  | 'final'
  | 'replaced'
  | 'cancelled'
  | 'failed'

export type TransactionFailureCode =
  | 'policy_denied'
  | 'permission_revoked'
  | 'would_revert'
  | 'insufficient_funds'
  | 'gas_limit_too_high'
  | 'reverted'
