import type { Tracer } from '../shared/telemetry/tracer.ts'
import type { ContractChain } from './accounts/chain.ts'
import type { AccountsMirror } from './accounts/mirror.ts'
import type { AccountsWriter } from './accounts/writer.ts'
import type { SourceCids } from './actions/source-cid/source-cids.ts'
import type { WalletProofs } from './accounts/wallet-proofs/wallet-proofs.ts'
import type { ConversionProofs } from './accounts/wallet-proofs/conversion-proofs.ts'
import type { KeyUses } from './accounts/key-uses.ts'
import type { AccountEmails } from './accounts/account-emails.ts'
import type { NewAccountLimits } from './admission/new-account-limits.ts'
import type { AccountRate } from './admission/account-rate.ts'
import type { BodyBudgets } from './admission/body-budgets.ts'
import type { Drain } from './admission/drain.ts'
import type { EventLoopLoad } from './admission/event-loop-load.ts'
import type { WalletCallLimits } from './admission/wallet-call-limits.ts'
import type { AuditLog } from './audit-log/audit-log.ts'
import type { Refusals } from './audit-log/refusals.ts'
import type { ChannelKeys } from './channel/open-request.ts'
import type { StoredUsageKeys } from './channel/stored-usage-keys.ts'
import type { Credits } from './credits/credits.ts'
import type { Payments } from './credits/processor/payments.ts'
import type { ProcessorCredentials } from './credits/processor/settings.ts'
import type { OriginSettings } from './env.ts'
import type { Keyring } from './keys/keyring.ts'
import type { P256Key } from './keys/p256-key.ts'
import type { IdempotencyStore } from './idempotency/idempotency-store.ts'
import type { Health } from './health/health.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { OriginLog } from './log.ts'
import type { Counters } from './metrics/counters.ts'
import type { PolicyDocuments } from './policies/documents.ts'
import type { PolicySigner } from './policies/policy-signer.ts'
import type { PolicySums } from './policies/sums/policy-sums.ts'
import type { ActionStatements } from './receipts/action-statements.ts'
import type { WalletStatements } from './receipts/wallet-statements.ts'
import type { RunClaims } from './runs/claims.ts'
import type { Executions } from './runs/executions.ts'
import type { Evidence } from './tee/evidence.ts'
import type { FreshQuotes } from './tee/fresh-quotes.ts'
import type { TeeProvider } from './tee/provider.ts'
import type { AccountDefaults } from './transactions/defaults.ts'
import type { TransactionChains, TransactionService } from './transactions/types.ts'
import type { KeyRate } from './usage-keys/key-rate.ts'
import type { UsageKeyLimits } from './usage-keys/usage-key-limits.ts'
import type { Build } from './version.ts'

/** Context for the functions that assemble the service (`origin/service.ts`, `origin/service/`). */
export type OriginProcess = {
  settings: OriginSettings
  stateDir: string
  processId: string
  /** ID of the previous process that used this state folder, if that process has exited. */
  predecessor: string | undefined
  keyring: Keyring
  tee: TeeProvider
  composeHash: string
  build: Build
  lifecycle: Lifecycle
  drain: Drain
  counters: Counters
  log: OriginLog
  now: () => number
  monotonic: () => number
}

export type OriginServices = {
  settings: OriginSettings
  log: OriginLog
  counters: Counters
  health: Pick<Health, 'check'>
  build: Build
  now: () => number
  keyring: Keyring
  chain: ContractChain
  mirror: AccountsMirror
  writer: AccountsWriter
  walletProofs: WalletProofs
  conversionProofs: ConversionProofs
  accountEmails: AccountEmails
  claims: RunClaims
  credits: Credits
  /** Undefined if no processor is configured. */
  processor: { payments: Payments; config: ProcessorCredentials } | undefined
  executions: Executions
  policySigner: PolicySigner
  storedResponses: IdempotencyStore
  keyUses: KeyUses
  keyLimits: UsageKeyLimits
  keyRate: KeyRate
  newAccountLimits: NewAccountLimits
  walletCalls: WalletCallLimits
  load: Pick<EventLoopLoad, 'requireRoom'>
  drain: Drain
  bodyBudgets: BodyBudgets
  sourceCids: SourceCids
  tee: Pick<TeeProvider, 'collateral'>
  evidence: Evidence
  freshQuotes: FreshQuotes
  actionStatements: ActionStatements
  policyDocuments: PolicyDocuments
  policySums: Pick<PolicySums, 'read' | 'simulate'>
  /** Limits simulations of signatures, which are free of charge. */
  simulations: AccountRate
  /** Limits changes of spending caps and limits of keys, which are free of charge. */
  limitChanges: AccountRate
  transactions: TransactionService
  transactionChains: TransactionChains
  transactionDefaults: AccountDefaults
  /** Limits requests that send or change transactions, which are free of charge. */
  transactionRate: AccountRate
  walletStatements: WalletStatements
  auditLog: AuditLog
  refusals: Pick<Refusals, 'record'>
  /** Undefined if no collector is configured. */
  tracer?: Tracer | undefined
  channel: {
    keys: ChannelKeys
    current: P256Key
    storage: P256Key
    storedKeys: StoredUsageKeys
  }
}
