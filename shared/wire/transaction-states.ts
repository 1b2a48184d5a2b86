/**
 * - `queued`: stored, and not signed yet
 * - `signed`: its nonce and signed bytes are stored, and no node has accepted it yet
 * - `broadcast`: a node has accepted it
 * - `mined`: in a block that a reorganization may still remove
 * - `final`: in a final block, and successful
 * - `replaced`: a transaction that this service did not sign used its nonce
 * - `cancelled`: cancelled before it was signed, or by an empty transaction with its nonce
 * - `failed`: rejected before it was signed, or reverted in a block
 */
export const TRANSACTION_STATES = [
  'queued',
  'signed',
  'broadcast',
  'mined',
  'final',
  'replaced',
  'cancelled',
  'failed',
] as const
export type TransactionState = (typeof TRANSACTION_STATES)[number]

/** How soon a transaction should be mined. Decides the first fees, and when they are raised. */
export const TRANSACTION_SPEEDS = ['fast', 'normal', 'cheap'] as const
export type TransactionSpeed = (typeof TRANSACTION_SPEEDS)[number]

/** Why an open transaction is not further. Null if it needs no explanation. */
export const WAITING_REASONS = ['order', 'funds', 'fees', 'nonce', 'chain'] as const
export type WaitingReason = (typeof WAITING_REASONS)[number]

export const TRANSACTION_FAILURE_CODES = [
  'policy_denied',
  'permission_revoked',
  'would_revert',
  'insufficient_funds',
  'gas_limit_too_high',
  'reverted',
] as const
export type TransactionFailureCode = (typeof TRANSACTION_FAILURE_CODES)[number]

export const TRANSACTION_ID = /^tx_[0-9a-f]{32}$/
