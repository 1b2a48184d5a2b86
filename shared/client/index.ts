/** Complete public API of the client library, `@svc-run/client`. */
export { createClient } from './client.ts'
export type {
  ApiOptions,
  CallOptions,
  CommonOptions,
  RetryOptions,
  SovereignOptions,
  Step,
} from './options.ts'
export type { ApiClient } from './api/client.ts'
export type { Converted } from './api/conversion.ts'
export { type Rotated, type RotationOptions, RotationUnknown } from './api/rotation.ts'
export type { ActionWallet } from './action-wallet.ts'
export type { NewAccount, NewAccountFields } from './api/account.ts'
export type * from './core/account.ts'
export type {
  AuditEntry,
  AuditHead,
  AuditLogOperations,
  AuditLogPage,
  AuditPageQuery,
  ExportedAuditLog,
  VerifiedAuditLog,
} from './core/audit-log.ts'
export type {
  Balance,
  BillingOperations,
  Credited,
  PaymentIntent,
  ProcessorConfig,
  UsageQuery,
  UsageRow,
} from './core/billing.ts'
export type { CommonOperations } from './core/common-operations.ts'
export type { ActionAnswer, ActionOptions, ActionToRun } from './core/execution.ts'
export type { Listing } from './core/listing.ts'
export type {
  ListedTransaction,
  SendingChain,
  SpeedUpFields,
  Transaction,
  TransactionBalance,
  TransactionDefaults,
  TransactionDefaultsFields,
  TransactionFields,
  TransactionFilter,
  TransactionOperations,
  TransactionWaitOptions,
} from './core/transactions.ts'
export type { Limits, NodeChainConfig, NodeOperations, Version } from './core/common-operations.ts'
export type { WaitOptions, WaitUntilPermitted } from './core/wait-until-permitted.ts'
export { cidHash, isActionCid } from '../cid/cid-format.ts'
export { NotCanonical } from '../derived-action/canonical-json.ts'
export {
  deriveAction,
  type DerivedAction,
  TemplateRefused,
} from '../derived-action/derive-action.ts'
export { type AgentToken, newAgentToken } from './agent-token.ts'
export type * from './triggers/records.ts'
export type {
  ActionChanges,
  ActionFields,
  ActionLibraryOperations,
  ActionVersion,
  ActionVersionWithSource,
  LibraryAction,
  ListedAction,
  SavedVersion,
  VersionFields,
} from './triggers/action-library.ts'
export type {
  AlertChannel,
  AlertChannelChanges,
  AlertChannelFields,
  AlertChannelOperations,
  AlertChannelWithSecret,
} from './triggers/alert-channels.ts'
export type {
  AlertDelivery,
  AlertOperations,
  AlertSettings,
  AlertSettingsFields,
  TriggerAlertSettingsFields,
  DeliveryFilter,
  Incident,
  IncidentFilter,
  TriggerAlertSettings,
} from './triggers/alerts.ts'
export type {
  ExportedTriggerLog,
  TriggerLogEntry,
  TriggerLogHead,
  TriggerLogOperations,
  TriggerLogPage,
  TriggerLogQuery,
} from './triggers/trigger-log.ts'
export type { AgentRequest, AgentRequestFields } from './triggers/agent-authorization.ts'
export type { TriggerOperations } from './triggers/triggers.ts'
export type { SovereignClient } from './sovereign/client.ts'
export type { NewSovereignAccount, Ownership } from './sovereign/ownership.ts'
export type { Eip1193Provider, EthereumSigner, EthersSigner } from './sovereign/signer.ts'
export type {
  Measurements,
  RootPolicy,
  RuleName,
  RuleResult,
  Verdict,
} from '../attestation/policy.ts'
export type { Report } from '../attestation/report.ts'
export type { Receipt } from '../receipts/receipt.ts'

export { SvcError } from './failures/svc-error.ts'
export { ActionFailed } from './failures/action-failed.ts'
export {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  PayloadTooLarge,
  PaymentRequired,
  ServerFailure,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  Unprocessable,
} from './failures/by-status.ts'
export { NetworkFailed, NotSent, NotTheApi } from './failures/transport-errors.ts'
export type { ClientPolicy, Verify } from './verification/client-policy.ts'
export * from './verification/failures.ts'
export { InvalidArgument } from './sovereign/arguments.ts'
export * from './sovereign/transaction-failures.ts'
export { CapNotSet } from './sovereign/usage-key-limits.ts'
export * from './sovereign/wallet-failures.ts'
export type { OriginVerification } from './verification/origin-verification.ts'
