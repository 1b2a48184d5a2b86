import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { IDEMPOTENCY_KEY_MAX, TRANSACTION_WAIT_MS } from '../../shared/limits.ts'
import { TRANSACTION_ID } from '../../shared/wire/transaction-states.ts'
import type { ReceiptTransaction } from '../../shared/receipts/receipt-transaction.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { TransactionOperation } from '../actions/run.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import { TooManyTransactionsError, TransactionIdentityError } from '../transactions/errors.ts'
import { readTransactionRequest, TransactionRequestError } from '../transactions/request.ts'
import type { TransactionRequest, TransactionService } from '../transactions/types.ts'
import { UnknownChainError } from '../transactions/unknown-chain-error.ts'
import { KeyRefusedError, type RunGrant, type RunWallet } from './run-wallet.ts'

/** As in the header of HTTP requests. */
const IDEMPOTENCY_KEY = new RegExp(`^[\\x20-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)

export type RunTransactionsOptions = {
  service: TransactionService
  /** CID of the action. */
  cid: string
  runId?: string | undefined
  /** Returns the run's permission. @throws {KeyRefusedError} if there is none, or the run has ended */
  grant: (operation: string) => RunGrant
  /** @throws {KeyRefusedError} unless the run may use the wallet */
  walletFor: (operation: { name: string; pkpId: string }) => RunWallet
}

/** The transactions that one run sends and reads. */
export class RunTransactions {
  readonly #options: RunTransactionsOptions
  /** Number of `sendTransaction` calls, which identifies each of them if the run is repeated after a crash. */
  #steps = 0
  readonly #ended = new AbortController()
  readonly #sending = new Set<Promise<unknown>>()
  /** Transactions that the run requested, as it last saw them. */
  readonly #requested = new Map<string, TransactionRecord>()

  constructor(options: RunTransactionsOptions) {
    this.#options = options
  }

  /** Returns the transaction as JSON text. @throws {KeyRefusedError} */
  async perform(operation: TransactionOperation): Promise<string> {
    try {
      const isSend = operation.name === 'sendTransaction'
      return JSON.stringify(await (isSend ? this.#send(operation) : this.#read(operation)))
    } catch (error) {
      throw isExpected(error) ? new KeyRefusedError(`${operation.name}: ${error.message}`) : error
    }
  }

  /**
   * Requires that the wallet has no open transactions on the chain, because a transaction that is signed outside of the
   * queue could use a nonce of theirs.
   * @param chainId 0 if the transaction is valid on every chain (before EIP-155)
   * @throws {KeyRefusedError | DatabaseUnavailableError}
   */
  async requireNoneOpen(chainId: bigint, address: string): Promise<void> {
    const { service } = this.#options
    if (chainId > BigInt(Number.MAX_SAFE_INTEGER)) return
    const isOnAny = chainId === 0n
    if (!(await service.hasOpen(isOnAny ? undefined : Number(chainId), address.toLowerCase())))
      return
    const where = isOnAny
      ? 'a chain, and a transaction without chainId is valid on each'
      : `the chain ${chainId}`
    throw new KeyRefusedError(
      `signTransaction: the wallet ${address} has open transactions on ${where}, whose nonces another transaction could use; send it with Svc.Actions.sendTransaction, or wait until they are final`,
    )
  }

  /** Ends all waits. */
  end(): void {
    this.#ended.abort()
  }

  /** Returns the requested transactions. Awaits those that are still being stored, so that the receipt names them. */
  async requested(): Promise<ReceiptTransaction[]> {
    await Promise.allSettled(this.#sending)
    return [...this.#requested.values()].map(receiptOf)
  }

  async #send({
    name,
    request: text,
  }: Extract<TransactionOperation, { name: 'sendTransaction' }>): Promise<TransactionRecord> {
    const step = this.#steps++
    const { request, idempotencyKey } = readInput(text)
    const { service, cid: actionCid, runId, grant, walletFor } = this.#options
    const { principal } = grant(name)
    walletFor({ name, pkpId: request.pkpId })
    const sent = service
      .send(request, {
        principal,
        actionCid,
        step,
        ...(runId !== undefined && { runId }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      })
      .then((record) => {
        this.#requested.set(record.id, record)
        return record
      })
    this.#sending.add(sent)
    return sent.finally(() => this.#sending.delete(sent))
  }

  async #read({
    name,
    id,
    waitFor,
    timeoutMs = TRANSACTION_WAIT_MS,
  }: Extract<TransactionOperation, { name: 'transaction' }>): Promise<TransactionRecord> {
    if (!TRANSACTION_ID.test(id))
      throw new KeyRefusedError('transaction: id must be tx_ and 32 hex digits')
    const { service, grant } = this.#options
    const { hash } = grant(name).principal.account
    const readable = (record: TransactionRecord | undefined): TransactionRecord => {
      if (!record) throw new KeyRefusedError(`transaction: the account has no transaction ${id}`)
      this.#options.walletFor({ name, pkpId: record.pkp_id })
      if (this.#requested.has(id)) this.#requested.set(id, record)
      return record
    }
    const found = readable(await service.find(hash, id))
    if (waitFor === undefined) return found
    return readable(await service.waitFor(hash, id, waitFor, timeoutMs, this.#ended.signal))
  }
}

/** @throws {TransactionRequestError} */
function readInput(text: string): { request: TransactionRequest; idempotencyKey?: string } {
  const input = tryParseJson(text)
  if (typeof input !== 'object' || input === null || !('idempotencyKey' in input))
    return { request: readTransactionRequest(input, 'action') }
  const { idempotencyKey, ...rest } = input
  const request = readTransactionRequest(rest, 'action')
  if (typeof idempotencyKey === 'string' && IDEMPOTENCY_KEY.test(idempotencyKey))
    return { request, idempotencyKey }
  throw new TransactionRequestError(
    `idempotencyKey: expected 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters`,
  )
}

function receiptOf(record: TransactionRecord): ReceiptTransaction {
  const hash = record.mined?.hash ?? record.attempts.at(-1)?.hash
  return {
    id: record.id,
    wallet: record.wallet_address,
    chain_id: record.chain_id,
    state: record.state,
    ...(hash !== undefined && { hash }),
  }
}

const isExpected = (error: unknown): error is Error =>
  error instanceof TransactionRequestError ||
  error instanceof UnknownChainError ||
  error instanceof TransactionIdentityError ||
  error instanceof TooManyTransactionsError ||
  error instanceof DatabaseUnavailableError
