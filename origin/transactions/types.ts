/** Interfaces between the parts of this folder. */
import type { JsonRpcApiProvider } from 'ethers'
import type {
  TransactionFailureCode,
  TransactionSpeed,
  TransactionState,
  WaitingReason,
} from '../../shared/wire/transaction-states.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { Principal } from '../accounts/account.ts'
import type { Database } from '../db/open.ts'

/** What a caller asks for. Validated and normalized: hex in lower case, amounts in wei. */
export type TransactionRequest = {
  /** 32 bytes in lower-case 0x hex. */
  pkpId: string
  /** Name of a configured chain, or its chain ID as decimal text. */
  chain: string
  to: string
  data: string
  value: bigint
  gasLimit?: bigint
  maxFeePerGas?: bigint
  /** @default 'normal' */
  speed?: TransactionSpeed
  /** Signatures of custom errors, such as `error Paused(uint256 until)`, to decode a revert. */
  errors?: readonly string[]
}

/** Who asks, and what makes two requests the same. */
export type TransactionOrigin = {
  principal: Principal
  /** CID of the action that asks, or of the built-in action for requests over HTTP. */
  actionCid: string
  runId?: string
  step?: number
  /** `Idempotency-Key` of the HTTP request, or `idempotencyKey` in an action. */
  idempotencyKey?: string
}

export type TransactionFilter = {
  id?: string
  pkpId?: string
  chain?: string
  state?: TransactionState
  runId?: string
  /** Only transactions that this key requested. Set for usage keys. */
  keyHash?: string
}

/** Public surface of this folder. */
export type TransactionService = {
  /**
   * Stores a transaction, and returns without waiting for the chain. The caller has checked the permission.
   * @throws {UnknownChainError | TransactionIdentityError | TooManyTransactionsError | DatabaseUnavailableError}
   */
  send(request: TransactionRequest, origin: TransactionOrigin): Promise<TransactionRecord>
  /** Undefined if the account has no such transaction. */
  find(accountHash: string, id: string): Promise<TransactionRecord | undefined>
  /** Newest first. */
  list(
    accountHash: string,
    filter: TransactionFilter,
    page: { offset: number; limit: number },
  ): Promise<{ records: TransactionRecord[]; total: number }>
  /** Repeating it has no further effect. Undefined if there is no such transaction. */
  cancel(accountHash: string, id: string): Promise<TransactionRecord | undefined>
  /** Raises the fees at once. `maxFeePerGas` replaces the transaction's limit. */
  speedUp(
    accountHash: string,
    id: string,
    maxFeePerGas?: bigint,
  ): Promise<TransactionRecord | undefined>
  /** Waits until the state is reached or can no longer be reached, or until `withinMs`. Returns the latest record. */
  waitFor(
    accountHash: string,
    id: string,
    state: 'mined' | 'final',
    withinMs: number,
    signal?: AbortSignal,
  ): Promise<TransactionRecord | undefined>
  /**
   * True if the wallet has transactions on the chain that have not ended. False for a chain that is not configured.
   * @param chainId any configured chain if undefined
   */
  hasOpen(chainId: number | undefined, address: string): Promise<boolean>
}

/** A chain on which wallets can send transactions. */
export type TransactionChain = {
  name: string
  chainId: number
  /** Blocks below the head at which a block is final. */
  finality: number
  pollMs: number
  /** Decides by a quorum of the chain's nodes (`NodesProvider`). */
  provider: JsonRpcApiProvider
}

/** For metrics: transactions on one chain, of the wallets whose transactions this process sends there. */
export type ChainTransactions = {
  chainId: number
  /** Transactions that have not ended, including those that are mined but not final. */
  open: number
  /**
   * Unix milliseconds since which the oldest transaction that is not mined waits, by the reason for which it waits: when
   * its first attempt was signed, or when it was created if it has none.
   */
  oldestUnmined: Map<WaitingReason | null, number>
  /** Wallets whose balance was below the threshold of their account when it was last read. */
  lowBalanceWallets: number
}

export type TransactionChains = {
  all(): readonly TransactionChain[]
  /** @throws {UnknownChainError} whose message lists the configured chains */
  require(chain: string): TransactionChain
  byId(chainId: number): TransactionChain | undefined
}

/** An EIP-1559 transaction without a signature. */
export type UnsignedTransaction = {
  chainId: number
  nonce: number
  to: string
  data: string
  value: bigint
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** A nonce of the wallet that no known transaction has, below that of one that waits for it. */
export type NonceGap = {
  nonce: number
  /** A signed transaction of the wallet with a higher nonce. */
  above: UnsignedTransaction
  /** Fees of an earlier transaction that fills the gap, if that one is replaced. */
  replaced?: Pick<UnsignedTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>
}

export type SigningContext = {
  id: string
  accountHash: string
  pkpId: string
  address: string
  keyHash: string
  actionCid: string
}

export type SignedTransaction = {
  hash: string
  /** 0x hex. */
  raw: string
  /** Only for wallets with a policy. */
  policy?: { hash: string; rule: string }
}

export type SigningResult =
  | { signed: SignedTransaction }
  /** The transaction can never be signed as it is. */
  | { refused: { code: TransactionFailureCode; message: string } }

export type TransactionSigner = {
  /**
   * Signs the first attempt of a transaction, after checking the permission and the policy.
   * @throws if that cannot be checked now, for example because the database does not respond
   */
  sign(transaction: UnsignedTransaction, context: SigningContext): Promise<SigningResult>
  /**
   * Signs an attempt that differs from `replaced` only in its fees. The sums of a policy count the difference only,
   * because at most one of the two can be mined.
   */
  replace(
    transaction: UnsignedTransaction,
    replaced: UnsignedTransaction,
    context: SigningContext,
  ): Promise<SigningResult>
  /** Signs an empty transaction to the wallet itself with the nonce of `cancelled`. */
  cancel(
    cancelled: UnsignedTransaction,
    fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    context: SigningContext,
  ): Promise<SigningResult>
  /** Signs an empty transaction to the wallet itself that fills a gap. Its gas may cost at most as much as that of `above`. */
  fillGap(
    gap: NonceGap,
    fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    context: SigningContext,
  ): Promise<SigningResult>
}

/** What the statements of the store need. */
export type StoreOptions = {
  db: Database
  processId: string
  /** Unix milliseconds. */
  now: () => number
}
