import type { Chain } from './accounts/chain.ts'
import type { AccountsMirror } from './accounts/mirror.ts'
import type { AccountsWriter } from './accounts/writer.ts'
import type { SourceCids } from './actions/source-cid/source-cids.ts'
import type { WalletProofs } from './accounts/wallet-proofs/wallet-proofs.ts'
import type { ConversionProofs } from './accounts/wallet-proofs/conversion-proofs.ts'
import type { KeyUses } from './accounts/key-uses.ts'
import type { AccountEmails } from './accounts/account-emails.ts'
import type { AccountOpenings } from './admission/account-openings.ts'
import type { BodyRooms } from './admission/body-rooms.ts'
import type { EventLoopLoad } from './admission/event-loop-load.ts'
import type { WalletCalls } from './admission/wallet-calls.ts'
import type { ChannelKeys } from './channel/open-request.ts'
import type { Credits } from './credits/credits.ts'
import type { Payments } from './credits/processor/payments.ts'
import type { ProcessorConfig } from './credits/processor/settings.ts'
import type { Settings } from './env.ts'
import type { Keyring } from './keys/keyring.ts'
import type { P256Key } from './keys/p256-key.ts'
import type { KeptAnswers } from './idempotency/kept-answers.ts'
import type { Health } from './health/health.ts'
import type { Log } from './log.ts'
import type { Counters } from './metrics/counters.ts'
import type { ActionStatements } from './receipts/action-statements.ts'
import type { RunClaims } from './runs/claims.ts'
import type { Executions } from './runs/executions.ts'
import type { Evidence } from './tee/evidence.ts'
import type { FreshQuotes } from './tee/fresh-quotes.ts'
import type { TeeProvider } from './tee/provider.ts'

/** Assembled in `origin/service.ts`. */
export type Services = {
  settings: Settings
  log: Log
  counters: Counters
  health: Pick<Health, 'look'>
  now: () => number
  keyring: Keyring
  chain: Chain
  mirror: AccountsMirror
  writer: AccountsWriter
  walletProofs: WalletProofs
  conversionProofs: ConversionProofs
  accountEmails: AccountEmails
  claims: RunClaims
  credits: Credits
  /** Undefined if no payment processor is configured. */
  processor: { payments: Payments; config: ProcessorConfig } | undefined
  executions: Executions
  keptAnswers: KeptAnswers
  keyUses: KeyUses
  openings: AccountOpenings
  walletCalls: WalletCalls
  load: Pick<EventLoopLoad, 'requireRoom'>
  bodyRooms: BodyRooms
  sourceCids: SourceCids
  tee: Pick<TeeProvider, 'collateral'>
  evidence: Evidence
  freshQuotes: FreshQuotes
  actionStatements: ActionStatements
  channel: { keys: ChannelKeys; current: P256Key; storage: P256Key }
}
