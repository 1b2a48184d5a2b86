import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import {
  TRANSACTIONS_OPEN_MAX,
  UNPAID_TRANSACTION_DATA_MAX_BYTES,
  UNSIGNED_TRANSACTIONS_PER_DAY,
} from '../../shared/limits.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import { isOwner } from '../accounts/rights.ts'
import type { Database } from '../db/open.ts'
import type { OriginLog } from '../log.ts'
import { TooManyTransactionsError, TransactionIdentityError } from './errors.ts'
import { identityOf, requestHashOf, transactionId } from './identity.ts'
import { type LaneId, LaneLeases } from './lane-leases.ts'
import { LanePool } from './lane-pool.ts'
import { TransactionStore } from './store.ts'
import { recordOf, type TransactionRow } from './transaction-record.ts'
import type {
  ChainTransactions,
  TransactionChains,
  TransactionFilter,
  TransactionOrigin,
  TransactionRequest,
  TransactionService,
  TransactionSigner,
} from './types.ts'

/** Channel on which a process tells the holder of a lane about new transactions and requests. */
export const TRANSACTIONS_CHANNEL = 'transactions'

/** Interval at which a transaction of another process is read while a caller waits for it. */
const WAIT_POLL_MS = 500

export type TransactionsOptions = {
  db: Database
  chains: TransactionChains
  signer: TransactionSigner
  /** `Keyring.transactionIdKey()` */
  idKey: Uint8Array
  processId: string
  predecessor?: string | undefined
  log: OriginLog
  /** Unix milliseconds. */
  now: () => number
  monotonic: () => number
  /** Listens on `TRANSACTIONS_CHANNEL`. If omitted, the holder of a lane polls. */
  listen?: (onNotification: () => void) => { close(): Promise<void> }
}

/** Sends transactions of wallets, and follows them until they are final. */
export class Transactions implements TransactionService {
  readonly #options: TransactionsOptions
  readonly #store: TransactionStore
  readonly #pool: LanePool
  readonly #waiters = new Map<string, Set<() => void>>()
  #listener: { close(): Promise<void> } | undefined

  constructor(options: TransactionsOptions) {
    this.#options = options
    const { db, chains, signer, idKey, processId, predecessor, log, now, monotonic } = options
    const store = new TransactionStore({ db, processId, now })
    this.#store = store
    this.#pool = new LanePool({
      chains,
      signer,
      store,
      log,
      now,
      monotonic,
      leases: new LaneLeases({ db, processId, predecessor }),
      newId: () => transactionId(idKey, '', `gap/${randomUUID()}`),
      onSaved: (id) => this.#notify(id),
    })
  }

  /** The process must have sent its first heartbeat, because it holds lanes only while its lease lasts. */
  start(): void {
    this.#pool.start()
    this.#listener = this.#options.listen?.(() => this.#pool.checkNow())
  }

  async close(): Promise<void> {
    await this.#listener?.close()
    await this.#pool.close()
  }

  /** Open transactions by chain, in the lanes that this process holds. For metrics. */
  status(): ChainTransactions[] {
    return this.#pool.status()
  }

  async send(request: TransactionRequest, origin: TransactionOrigin): Promise<TransactionRecord> {
    const { chains, idKey } = this.#options
    const { principal, actionCid, runId = null, step = null } = origin
    const { pkpId, to, data, value, gasLimit = null, maxFeePerGas = null } = request
    const chain = chains.require(request.chain)
    const { chainId } = chain
    const accountHash = principal.account.hash
    const id = transactionId(idKey, accountHash, identityOf(origin))
    const requestHash = requestHashOf(request, chainId)
    const laneId = { chainId, address: addressOf(pkpId) }
    const lane = await this.#pool.acquire(laneId)
    const open = lane?.openCount ?? (await this.#store.countOpen(laneId))
    const transaction = {
      ...laneId,
      id,
      accountHash,
      pkpId,
      requestHash,
      to,
      data,
      value,
      gasLimit,
      maxFeePerGas,
      speed: request.speed ?? 'normal',
      errors: [...(request.errors ?? [])],
      keyHash: principal.keyHash,
      actionCid,
      runId,
      step,
    }
    const by = isOwner(principal) ? 'owner' : 'usage key'
    const inserted =
      open < TRANSACTIONS_OPEN_MAX ? await this.#store.insert(transaction, by) : 'open'
    if (typeof inserted !== 'string') {
      await this.#tellHolder(inserted)
      return recordOf(inserted, [], chain.name)
    }
    const stored = await this.#store.find(id)
    if (!stored && inserted !== 'exists')
      throw new TooManyTransactionsError(inserted, limitMessage(inserted, laneId))
    if (stored?.requestHash !== requestHash) throw new TransactionIdentityError(id)
    return this.#recordOf(stored)
  }

  /** Removes large data of transactions that ended long ago. */
  forgetOld(): Promise<void> {
    return this.#store.forgetOld()
  }

  async find(accountHash: string, id: string): Promise<TransactionRecord | undefined> {
    const row = await this.#store.find(id)
    return row?.accountHash === accountHash ? this.#recordOf(row) : undefined
  }

  async list(
    accountHash: string,
    { chain, ...filter }: TransactionFilter,
    page: { offset: number; limit: number },
  ): Promise<{ records: TransactionRecord[]; total: number }> {
    const chainId = chain === undefined ? undefined : this.#options.chains.require(chain).chainId
    const { rows, total } = await this.#store.list(accountHash, { ...filter, chainId }, page)
    const attempts = await this.#store.attemptsOf(rows.map(({ id }) => id))
    const records = rows.map((row) =>
      recordOf(row, attempts.get(row.id) ?? [], this.#chainName(row.chainId)),
    )
    return { records, total }
  }

  async cancel(accountHash: string, id: string): Promise<TransactionRecord | undefined> {
    return this.#request(accountHash, id, async ({ chainId, address }) => {
      const isCancelled = await this.#store.requestCancel(id)
      const facts = { chain: this.#chainName(chainId), address, id }
      if (isCancelled) this.#options.log('transactions.cancelled', facts)
    })
  }

  async speedUp(
    accountHash: string,
    id: string,
    maxFeePerGas?: bigint,
  ): Promise<TransactionRecord | undefined> {
    return this.#request(accountHash, id, () => this.#store.requestSpeedUp(id, maxFeePerGas))
  }

  async waitFor(
    accountHash: string,
    id: string,
    state: 'mined' | 'final',
    withinMs: number,
    signal?: AbortSignal,
  ): Promise<TransactionRecord | undefined> {
    const { monotonic } = this.#options
    const deadline = monotonic() + withinMs
    for (;;) {
      const change = this.#nextChange(id)
      try {
        const record = await this.find(accountHash, id)
        const left = deadline - monotonic()
        if (!record || hasReached(record, state) || left <= 0 || signal?.aborted) return record
        await change.within(Math.min(left, WAIT_POLL_MS), signal)
      } finally {
        change.stop()
      }
    }
  }

  async hasOpen(chainId: number | undefined, address: string): Promise<boolean> {
    const { chains } = this.#options
    if (chainId === undefined) {
      const open = chains.all().map((chain) => this.hasOpen(chain.chainId, address))
      return (await Promise.all(open)).includes(true)
    }
    if (!chains.byId(chainId)) return false
    const lane = { chainId, address: address.toLowerCase() }
    if ((this.#pool.get(lane)?.openCount ?? 0) > 0) return true
    return (await this.#store.countOpen(lane)) > 0
  }

  async #request(
    accountHash: string,
    id: string,
    change: (row: TransactionRow) => Promise<void>,
  ): Promise<TransactionRecord | undefined> {
    const before = await this.#store.find(id)
    if (before?.accountHash !== accountHash) return undefined
    await change(before)
    const row = await this.#store.find(id)
    if (!row) return undefined
    await this.#tellHolder(row)
    this.#notify(id)
    return this.#recordOf(row)
  }

  /** Without the notification, the holder polls within a second. */
  async #tellHolder(row: TransactionRow): Promise<void> {
    const lane = this.#pool.get(row)
    if (lane) return lane.apply(row)
    const notify = sql`select pg_notify(${TRANSACTIONS_CHANNEL}, '')`
    await this.#options.db.execute(notify).then(
      () => {},
      () => {},
    )
  }

  async #recordOf(row: TransactionRow): Promise<TransactionRecord> {
    const attempts = await this.#store.attemptsOf([row.id])
    return recordOf(row, attempts.get(row.id) ?? [], this.#chainName(row.chainId))
  }

  /** A chain may have been removed from the configuration. */
  #chainName(chainId: number): string {
    return this.#options.chains.byId(chainId)?.name ?? String(chainId)
  }

  #notify(id: string): void {
    for (const resume of this.#waiters.get(id) ?? []) resume()
  }

  /** Registers before the row is read, so that no change is missed. */
  #nextChange(id: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiters.get(id) ?? new Set()
    this.#waiters.set(id, waiting.add(resolve))
    return {
      within: async (ms: number, signal?: AbortSignal) => {
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener('abort', () => resolve(), { once: true })
        await promise
        clearTimeout(timer)
      },
      stop: () => {
        waiting.delete(resolve)
        if (waiting.size === 0) this.#waiters.delete(id)
      },
    }
  }
}

function limitMessage(limit: TooManyTransactionsError['limit'], { address }: LaneId): string {
  switch (limit) {
    case 'open':
      return `the wallet ${address} has ${TRANSACTIONS_OPEN_MAX} open transactions on this chain, which is the maximum`
    case 'data': {
      const { account, usageKeys } = UNPAID_TRANSACTION_DATA_MAX_BYTES
      return `the data of this account’s open, rejected and cancelled transactions would exceed ${mebibytes(account)}, of which usage keys can use ${mebibytes(usageKeys)}`
    }
    case 'unsigned': {
      const { account, usageKeys } = UNSIGNED_TRANSACTIONS_PER_DAY
      return `${account} requested transactions of this account, or ${usageKeys} for a usage key, were rejected or cancelled before they were signed within 24 hours, which is the maximum`
    }
  }
}

const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

function hasReached({ state, ended_at }: TransactionRecord, wanted: 'mined' | 'final'): boolean {
  if (ended_at !== null) return true
  return wanted === 'mined' && ['mined', 'final', 'failed', 'cancelled', 'replaced'].includes(state)
}

/** A wallet ID is the wallet's address, padded to 32 bytes. */
function addressOf(pkpId: string): LaneId['address'] {
  return `0x${pkpId.slice(-40).toLowerCase()}`
}
