/** Transactions that wallets of the account send (docs/transactions.md). Amounts are in wei. */
import { endsWait } from '../../wire/transaction-wait.ts'
import type { TransactionSpeed, TransactionState } from '../../wire/transaction-states.ts'
import type {
  ListedTransaction,
  SendingChain,
  TransactionBalance,
  TransactionDefaultsRecord,
  TransactionRecord,
} from '../../wire/transactions.ts'
import { anySignal } from '../abortable.ts'
import { NotFound } from '../failures/by-status.ts'
import { POLL_FIRST_MS, POLL_WAIT_MAX_MS } from '../limits.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { retryWhileUnavailable } from '../triggers/retry-while-unavailable.ts'
import type { PkpId } from './account.ts'
import { type CoreCalls, publicRead } from './core-calls.ts'
import type { Listing } from './listing.ts'
import type { WaitOptions } from './wait-until-permitted.ts'

export type Transaction = TransactionRecord
export type TransactionDefaults = TransactionDefaultsRecord
export type { ListedTransaction, SendingChain, TransactionBalance }

/** An amount: a bigint, a number below 2^53, decimal text or 0x hex. */
type Amount = bigint | number | string

export type TransactionFields = {
  /** Wallet that sends, and pays the gas. */
  pkp_id: PkpId
  /** Name of a chain, or its chain ID. `transactions.chains()` lists the chains. */
  chain: string | number
  to: string
  /** Calldata as 0x hex. @default '0x' */
  data?: string
  /** Amount in wei. @default 0 */
  value?: Amount
  /** Gas limit. Default: estimated. */
  gas?: Amount
  /** Highest fee in wei that may be paid for a unit of gas. Default: the default of the account. */
  max_fee_per_gas?: Amount
  /** @default 'normal' */
  speed?: TransactionSpeed
  /** Signatures of the contract's custom errors, such as `error Paused(uint256 until)`, to decode a revert. */
  errors?: readonly string[]
}

export type TransactionFilter = {
  pkp_id?: PkpId
  chain?: string | number
  state?: TransactionState
  run_id?: string
  /** Number of transactions in each request. @default 200 */
  page_size?: number
}

export type SpeedUpFields = {
  /** New limit of the fee for a unit of gas, in wei. Default: the limit of the transaction. */
  max_fee_per_gas?: Amount
}

/** A member that is absent has no default afterwards. */
export type TransactionDefaultsFields = {
  chain: string | number
  max_fee_per_gas?: Amount
  /** Balance in wei below which a wallet counts as low. */
  low_balance?: Amount
}

/** Default timeout: none. */
export type TransactionWaitOptions = WaitOptions

export type TransactionOperations = {
  /**
   * Queues a transaction, and returns it without waiting for the chain. The account key, or a usage key that may run the
   * built-in action `sendTransaction` with the wallet.
   * @param options.idempotencyKey identifies the transaction permanently: a repeated call with the same key sends nothing
   * and returns the transaction as it is then. Default: a random key, which only covers retries of this call
   * @example
   * const { id } = await client.sendTransaction(
   *   { pkp_id: wallet_address, chain: 'base', to: supplier, value: 10n ** 15n },
   *   { idempotencyKey: 'invoice 4711' },
   * )
   * @throws {Conflict} `idempotency_key_reused` if the key belongs to another transaction
   * @throws {Forbidden} if the key may not send with the wallet
   */
  sendTransaction(fields: TransactionFields, options?: CallOptions): Promise<Transaction>
  /**
   * Waits until a transaction is mined or final, or has ended otherwise. Continues while the service is unavailable.
   * Check `state`: a transaction can also be `failed`, `cancelled` or `replaced`.
   * @returns the latest record, also after the timeout
   * @example
   * const { state, mined, failure } = await client.waitForTransaction(id, 'final')
   * if (state !== 'final') throw new Error(failure?.message ?? state)
   * console.log(mined.hash)
   * @throws {NotFound} if the key cannot see such a transaction
   */
  waitForTransaction(
    id: string,
    until: 'mined' | 'final',
    options?: TransactionWaitOptions,
  ): Promise<Transaction>
  transactions: {
    /**
     * Lists transactions, newest first. A usage key sees those that it requested.
     * @example
     * for await (const { id, state } of client.transactions.list({ chain: 'base' })) console.log(id, state)
     */
    list(filter?: TransactionFilter, options?: CallOptions): Listing<ListedTransaction>
    /** @throws {NotFound} */
    get(id: string, options?: CallOptions): Promise<Transaction>
    /**
     * Cancels a transaction. If it is already signed, an empty transaction with the same nonce is sent, and whichever of
     * the two is mined decides.
     * @example
     * await client.transactions.cancel(id)
     * const { state } = await client.waitForTransaction(id, 'mined')
     */
    cancel(id: string, options?: CallOptions): Promise<Transaction>
    /**
     * Raises the fees at once.
     * @example
     * await client.transactions.speedUp(id, { max_fee_per_gas: 40n * 10n ** 9n })
     */
    speedUp(id: string, fields?: SpeedUpFields, options?: CallOptions): Promise<Transaction>
    /** Returns the defaults of the account for each chain. Only for the owner of the account. */
    defaults(options?: CallOptions): Promise<TransactionDefaults[]>
    /**
     * Replaces the defaults of the account for a chain. Only for the owner of the account.
     * @example
     * await client.transactions.setDefaults({ chain: 'base', max_fee_per_gas: 2n * 10n ** 9n })
     */
    setDefaults(
      fields: TransactionDefaultsFields,
      options?: CallOptions,
    ): Promise<TransactionDefaults>
    /**
     * Returns the balances of a wallet on the chains on which it has sent, as they were last read. Only for the owner of
     * the account.
     */
    balances(fields: { pkp_id: PkpId }, options?: CallOptions): Promise<TransactionBalance[]>
    /** Lists the chains on which wallets can send. */
    chains(options?: CallOptions): Promise<SendingChain[]>
  }
}

type TransactionParts = {
  requester: Requester
  /** Calls that only read. */
  reads: CoreCalls
  /** Calls that send or change transactions, which need another proof in ChainSecured mode. */
  writes: CoreCalls
  environment: RuntimeEnvironment
  signal: AbortSignal | undefined
}

export function transactionOperations(parts: TransactionParts): TransactionOperations {
  const { requester, reads, writes } = parts
  const get = async (id: string, options?: CallOptions) => {
    const [record] = await reads.read<Transaction[]>('transactions', { id }, options)
    if (record) return record
    throw new NotFound(`There is no transaction ${id}, or the key cannot see it.`, {
      code: 'not_found',
      fix: 'List the transactions, and check which account the key belongs to.',
    })
  }
  return {
    sendTransaction: (fields, options) =>
      writes.write('send_transaction', withTextAmounts(fields), options),
    waitForTransaction: (id, until, options) => waitFor(get, parts, { id, until, ...options }),
    transactions: {
      list: (filter, options) => reads.list('transactions', { ...filter }, options),
      get,
      cancel: (id, options) => writes.write('cancel_transaction', { id }, options),
      speedUp: (id, fields, options) =>
        writes.write('speed_up_transaction', { id, ...withTextAmounts({ ...fields }) }, options),
      defaults: (options) => reads.read('get_transaction_defaults', {}, options),
      setDefaults: (fields, options) =>
        writes.write('set_transaction_defaults', withTextAmounts(fields), options),
      balances: (fields, options) => reads.read('get_transaction_balances', fields, options),
      chains: (options) => publicRead(requester, 'transaction_chains', options),
    },
  }
}

/** Polls with exponential backoff, which starts again when the state changes. */
async function waitFor(
  get: TransactionOperations['transactions']['get'],
  { environment, signal: clientSignal }: TransactionParts,
  wait: { id: string; until: 'mined' | 'final' } & TransactionWaitOptions,
): Promise<Transaction> {
  const { id, until, timeoutMs = Number.POSITIVE_INFINITY } = wait
  const { now, sleep, random } = environment
  const signal = anySignal(clientSignal, wait.signal)
  const options = signal && { signal }
  const begunAt = now()
  let sleptMs = 0
  let record = await get(id, options)
  for (let nextMs = POLL_FIRST_MS; !endsWait(record, until);) {
    const leftMs = timeoutMs - Math.max(sleptMs, now() - begunAt)
    if (leftMs <= 0) break
    const waitMs = Math.min(nextMs, leftMs)
    await sleep(waitMs, signal)
    sleptMs += waitMs
    const { state } = record
    record = await retryWhileUnavailable(() => get(id, options), { sleep, random }, signal)
    nextMs = record.state === state ? Math.min(nextMs * 2, POLL_WAIT_MAX_MS) : POLL_FIRST_MS
  }
  return record
}

/** Converts bigints, which JSON cannot represent, to decimal text. */
function withTextAmounts(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? String(value) : value,
    ]),
  )
}
