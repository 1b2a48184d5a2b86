/**
 * What actions in TypeScript import as `@svc-run/cli/action` (docs/typescript.md#types). The declarations of the globals
 * are in `globals.d.ts`, which the published package references from here.
 */
export { type Action, defineAction } from './define-action.ts'
export type { JsonCompatible } from './json-compatible.ts'
export type { ChainBlock } from './chain-block.ts'
export type { ChainTransaction } from './chain-transaction.ts'
export type { ChainEvent, ChainEventLog, ChainEventReading, DecodedValue } from './chain-event.ts'
export type {
  ChainBlockParams,
  ChainEventParams,
  ChainTransactionParams,
  OneOffParams,
  ScheduleParams,
  WebhookBatchParams,
  WebhookEvent,
  WebhookParams,
} from './params.ts'
export type {
  Amount,
  SigningTransaction,
  SvcActions,
  TransactionToSend,
  TypedData,
  WalletSigner,
} from './svc-actions.ts'
export type { Transaction, TransactionFailureCode, TransactionState } from './transaction.ts'
