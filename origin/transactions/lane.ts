import { formatEther, toQuantity } from 'ethers'
import { TRANSACTIONS_IN_FLIGHT_MAX } from '../../shared/limits.ts'
import type { WaitingReason } from '../../shared/wire/transaction-states.ts'
import { findReceipt } from '../accounts/writer/receipt-poller.ts'
import { errorTrace, type OriginLog } from '../log.ts'
import {
  BUMP_AFTER_MS,
  clampFees,
  type FeeMarket,
  type Fees,
  type Market,
  marketFees,
  replacementFees,
} from './fees.ts'
import { findByNonce } from './foreign-transaction.ts'
import type { Head, HeadChange, HeadTracker } from './head-tracker.ts'
import type { LaneId } from './lane-leases.ts'
import { type Attempt, attemptOf, LiveTransaction } from './live-transaction.ts'
import { broadcastFailure } from './rpc-failure.ts'
import { gasLimitOf, revertAt, simulate, type Simulation } from './simulation.ts'
import type { FeeDefaults, NewAttempt, TransactionStore } from './store.ts'
import type { TransactionRow } from './transaction-record.ts'
import type {
  SignedTransaction,
  SigningResult,
  TransactionChain,
  TransactionSigner,
  UnsignedTransaction,
} from './types.ts'

/** Transactions that are simulated at the same time, and recorded together. */
const BATCH_MAX = 32

/** Age at which the transaction count and the balance are read again before they are used. */
const ACCOUNT_MAX_AGE_MS = 2_000
const DEFAULTS_MAX_AGE_MS = 5_000
/** The base fee changes by at most an eighth per block, and the maximum fee is far higher. */
const HEAD_MAX_AGE_MS = 3_000

/** Delay before bytes are sent again if no node has accepted them. */
const RESEND_MS = 500
const RESEND_MAX_MS = 4_000
/** Interval at which the pool of the nodes is compared with the transactions that they accepted. */
const POOL_CHECK_MS = 2_000
/** Nodes keep at least this many per wallet. Later transactions are sent again once the earlier ones are mined. */
const RESEND_COUNT_MAX = 16

/** One check is not enough, because its response may come from a lagging node. */
const CHECKS_UNTIL_LOST = 2
/** Checks before a nonce counts as used if the transaction that used it cannot be found. */
const CHECKS_WITHOUT_EVIDENCE = 5
const CHECK_MS = 1_000

/** Simulations that may fail without failing at a given block, before the transaction fails. */
const UNCONFIRMED_REVERTS_MAX = 3

/** Delay after the signer refused a replacement, whose first attempt stays valid. */
const REFUSED_MS = 30_000

/** Signatures that were not recorded, because the database failed, are used again for this time. */
const SIGNED_KEPT_MS = 60_000

const FAILED_MIN_MS = 250
const FAILED_MAX_MS = 5_000

const TRANSFER_GAS = 21_000n

export type LaneContext = {
  chain: TransactionChain
  heads: HeadTracker
  market: FeeMarket
  store: TransactionStore
  signer: TransactionSigner
  log: OriginLog
  /** Milliseconds of a clock that is never set back. */
  monotonic: () => number
  newId: () => string
  /** Called when a change of a transaction is in the database. */
  onSaved: (id: string) => void
  /** Called when another process holds the lane. */
  onLost: () => void
}

type Ready = {
  transaction: LiveTransaction
  gasLimit: bigint
  fees: Fees
  isBelowBaseFee: boolean
}

type Replacement = { transaction: LiveTransaction; kind: 'speed_up' | 'cancel'; fees: Fees }

/** A wallet on a chain whose balance and transaction count were read. */
type AccountState = { count: number; balance: bigint; at: number }

/**
 * Sends the transactions of one wallet on one chain, in their order. Only the process that holds the lane's lease has
 * an instance. All steps run one after another. Invariants:
 *
 * - An attempt is recorded before its bytes are sent.
 * - A transaction gets another nonce only if its nonce was used in a final block by another transaction.
 */
export class Lane {
  readonly id: LaneId
  readonly #context: LaneContext
  readonly #live = new Map<string, LiveTransaction>()
  readonly #signed = new Map<
    string,
    { unsigned: UnsignedTransaction; signed: SignedTransaction; at: number }
  >()
  #needsLoad = true
  #hasLoaded = false
  #isClosed = false
  #isWoken = false
  #running: Promise<void> | undefined
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #account: AccountState | undefined
  #defaults: { value: FeeDefaults | undefined; at: number } | undefined
  #lastEndedNonce = -1
  #needsCount = false
  #countedAt = Number.NEGATIVE_INFINITY
  #gapChecks = 0
  #gapCheckedAt = Number.NEGATIVE_INFINITY
  #usedCheckedAt = Number.NEGATIVE_INFINITY
  #poolCheckedAt = Number.NEGATIVE_INFINITY
  /** State of the chain and the lane at which the first queued transaction could not be sent. */
  #blockedAt: string | undefined
  #sending: Promise<unknown> = Promise.resolve()
  #isLow = false
  #usedAt: number

  constructor(id: LaneId, context: LaneContext) {
    this.id = id
    this.#context = context
    this.#usedAt = context.monotonic()
  }

  /** Number of transactions that have not ended. Undefined until they were read. */
  get openCount(): number | undefined {
    return this.#hasLoaded ? this.#live.size : undefined
  }

  /** True if the balance was below the threshold of the account when it was last read. */
  get isLow(): boolean {
    return this.#isLow
  }

  /** What unmined transactions wait for, and since when, in Unix milliseconds. */
  *waiting(): Generator<{ reason: WaitingReason | null; since: number }> {
    for (const { progress, row, isMined } of this.#live.values())
      if (!isMined) yield { reason: progress.waitingFor, since: row.createdAt.getTime() }
  }

  get hasUnmined(): boolean {
    for (const { isMined, progress } of this.#live.values())
      if (!isMined && !progress.hasEnded && progress.state !== 'queued') return true
    return false
  }

  get hasMined(): boolean {
    for (const { isMined } of this.#live.values()) if (isMined) return true
    return false
  }

  /** Milliseconds since the lane last had an open transaction. */
  get idleMs(): number {
    const isIdle = this.#hasLoaded && this.#live.size === 0
    return isIdle ? this.#context.monotonic() - this.#usedAt : 0
  }

  /** Adds a row that this process has inserted, or applies a request in it to cancel or speed up. */
  apply(row: TransactionRow): void {
    this.#usedAt = this.#context.monotonic()
    if (this.#hasLoaded) {
      const known = this.#live.get(row.id)
      if (known) {
        const { cancelRequestedAt, maxFeePerGas } = row
        const speedUpRequestedAt = known.unansweredSpeedUp(row)
        known.row = { ...known.row, cancelRequestedAt, speedUpRequestedAt, maxFeePerGas }
        if (row.endedAt !== null && known.progress.state === 'queued') this.#live.delete(row.id)
      } else if (row.state === 'queued' && row.endedAt === null) this.#add(row)
      else if (row.endedAt === null) this.#needsLoad = true
    } else {
      // A read in progress may not see the row.
      this.#needsLoad = true
    }
    this.#blockedAt = undefined
    this.wake()
  }

  /** @param included hashes of the transactions in the head */
  onHead({ isSkipping, forkedAbove }: HeadChange, included: ReadonlySet<string>): void {
    if (this.#live.size === 0) return
    for (const transaction of this.#live.values()) {
      const { minedBlock } = transaction.progress
      if (minedBlock !== null) {
        if (forkedAbove !== undefined && minedBlock > forkedAbove) transaction.needsReceipt = true
      } else if (transaction.attempts.some(({ hash }) => included.has(hash)))
        transaction.needsReceipt = true
    }
    if (isSkipping) this.#needsCount = true
    // The count may be lower in another branch.
    if (forkedAbove !== undefined) this.#account = undefined
    this.wake()
  }

  /** Checks deadlines. */
  tick(): void {
    if (this.#live.size > 0 || this.#needsLoad) this.wake()
  }

  wake(): void {
    if (this.#isClosed) return
    this.#isWoken = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isWoken && this.#retry === undefined) this.wake()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#running
    await this.#sending
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false
      try {
        await this.#advance()
        this.#failures = 0
      } catch (error) {
        this.#fail(error)
        return
      }
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return
    const { log, chain } = this.#context
    if (this.#failures === 0)
      log('transactions.unavailable', { chain: chain.name, cause: errorTrace(error) })
    for (const transaction of this.#live.values())
      if (transaction.isQueued && transaction.setWaiting('chain')) this.#save(transaction)
    const delay = Math.min(FAILED_MAX_MS, FAILED_MIN_MS * 2 ** this.#failures++)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.wake()
    }, delay)
  }

  async #advance(): Promise<void> {
    while (this.#needsLoad && !this.#isClosed) await this.#load()
    for (const transaction of this.#live.values()) if (transaction.isDirty) this.#save(transaction)
    if (this.#live.size === 0) return
    await this.#settle()
    await this.#checkUsedNonces()
    await this.#replace()
    await this.#sendQueued()
    await this.#closeGaps()
    await this.#rebroadcast()
    this.#context.heads.follow()
  }

  // Loading

  async #load(): Promise<void> {
    const { store, monotonic, heads } = this.#context
    this.#needsLoad = false
    try {
      const { rows, attempts, lastEndedNonce } = await store.loadLane(this.id)
      this.#lastEndedNonce = Math.max(this.#lastEndedNonce, lastEndedNonce ?? -1)
      const attemptsOf = Map.groupBy(attempts, ({ transactionId }) => transactionId)
      const ids = new Set(rows.map(({ id }) => id))
      for (const id of this.#live.keys()) if (!ids.has(id)) this.#live.delete(id)
      for (const row of rows) {
        const stored = attemptsOf.get(row.id) ?? []
        const known = this.#live.get(row.id)
        // What this process knows of the chain is newer than the row, unless an attempt was recorded unnoticed.
        if (known?.attempts.length === stored.length && known.progress.state !== 'queued') {
          known.row = { ...row, speedUpRequestedAt: known.unansweredSpeedUp(row) }
          continue
        }
        const block = heads.head?.number ?? -1
        const transaction = new LiveTransaction(row, stored, monotonic(), block)
        // The chain may have changed since the row was written.
        transaction.needsReceipt = stored.length > 0
        this.#live.set(row.id, transaction)
      }
      this.#hasLoaded = true
      this.#needsCount = true
    } catch (error) {
      this.#needsLoad = true
      throw error
    }
  }

  #add(row: TransactionRow): LiveTransaction {
    const transaction = new LiveTransaction(row, [], this.#context.monotonic(), -1)
    this.#live.set(row.id, transaction)
    return transaction
  }

  // State

  #queue(): LiveTransaction[] {
    return [...this.#live.values()]
      .filter(({ isQueued }) => isQueued)
      .toSorted((one, other) => one.row.sequence - other.row.sequence)
  }

  #unmined(): LiveTransaction[] {
    return [...this.#live.values()]
      .filter(({ isUnmined }) => isUnmined)
      .toSorted((one, other) => one.nonce - other.nonce)
  }

  #save(transaction: LiveTransaction): void {
    const { store, onSaved } = this.#context
    const { progress, id } = transaction
    transaction.isDirty = true
    store.save({ ...this.id, id, progress }).then(
      (result) => {
        if (result === 'lane_lost') return this.#context.onLost()
        if (result === 'saved') onSaved(id)
        if (this.#live.get(id) !== transaction || transaction.progress !== progress) return
        if (result === 'saved') {
          transaction.isDirty = false
          if (progress.hasEnded) this.#logEnd(transaction)
          if (progress.hasEnded) this.#remove(transaction)
        } else {
          // Another process has ended the transaction, or this process has missed that an attempt was recorded.
          this.#needsLoad = true
          this.wake()
        }
      },
      // The next check saves it.
      () => {},
    )
  }

  #remove(transaction: LiveTransaction): void {
    this.#live.delete(transaction.id)
    this.#signed.delete(transaction.id)
    this.#usedAt = this.#context.monotonic()
    const { nonce } = transaction.row
    if (nonce !== null) this.#lastEndedNonce = Math.max(this.#lastEndedNonce, nonce)
  }

  #reject(
    transaction: LiveTransaction,
    ...[code, message]: Parameters<LiveTransaction['setFailed']>
  ): void {
    transaction.setFailed(code, message)
    this.#end(transaction)
  }

  /** Its state cannot change any more. */
  #end(transaction: LiveTransaction): void {
    transaction.progress = { ...transaction.progress, hasEnded: true }
    this.#save(transaction)
  }

  #logEnd(transaction: LiveTransaction): void {
    const { state, failureCode } = transaction.progress
    const facts = { ...this.#facts(), id: transaction.id }
    const { log } = this.#context
    if (state === 'final') log('transactions.final', facts)
    else if (state === 'cancelled') log('transactions.cancelled', facts)
    else if (state === 'replaced') log('transactions.replaced', facts)
    else log('transactions.failed', { ...facts, code: failureCode ?? 'unknown' })
  }

  #wait(transaction: LiveTransaction, reason: WaitingReason | null): void {
    if (transaction.setWaiting(reason)) this.#save(transaction)
  }

  /**
   * Reads the transaction count and the balance, unless they were read recently.
   * @throws if the nodes do not respond
   */
  async #readAccount(maxAgeMs: number): Promise<AccountState> {
    const { chain, monotonic, log, store } = this.#context
    const at = monotonic()
    const before = this.#account
    if (before && at - before.at <= maxAgeMs) return before
    const { address } = this.id
    const [first, wei] = await Promise.all([
      this.#readCount('latest'),
      chain.provider.send('eth_getBalance', [address, 'latest']),
    ])
    const balance = BigInt(wei)
    let count = first
    const own = Math.max(-1, ...[...this.#live.values()].map(({ row }) => row.nonce ?? -1)) + 1
    const expected = before && Math.max(before.count, own, this.#lastEndedNonce + 1)
    if (expected !== undefined && count > expected) {
      // A node that lies once must not cause a gap.
      count = Math.min(count, await this.#readCount('latest'))
      if (count > expected)
        log('transactions.foreign_nonce', { ...this.#facts(), nonces: count - expected })
    }
    this.#account = { count, balance, at }
    this.#countedAt = at
    await this.#warnIfLow(balance)
    if (before?.balance !== balance) store.recordBalance(this.id, balance).catch(() => {})
    return this.#account
  }

  async #readCount(block: string): Promise<number> {
    const { provider } = this.#context.chain
    return Number(await provider.send('eth_getTransactionCount', [this.id.address, block]))
  }

  async #warnIfLow(balance: bigint): Promise<void> {
    const [first] = this.#live.values()
    if (!first) return
    const defaults = await this.#readDefaults(first.row.accountHash)
    const threshold = defaults?.lowBalance ?? undefined
    const isLow = threshold !== undefined && balance < threshold
    if (isLow && !this.#isLow)
      this.#context.log('transactions.low_balance', {
        ...this.#facts(),
        ether: formatEther(balance),
      })
    this.#isLow = isLow
  }

  /** All transactions of a wallet belong to one account, because its key is derived from the account. */
  async #readDefaults(accountHash: string): Promise<FeeDefaults | undefined> {
    const { store, monotonic } = this.#context
    const at = monotonic()
    if (!this.#defaults || at - this.#defaults.at > DEFAULTS_MAX_AGE_MS)
      this.#defaults = { value: await store.defaults(accountHash, this.id.chainId), at }
    return this.#defaults.value
  }

  async #ceiling({ row }: LiveTransaction): Promise<bigint | undefined> {
    const account = (await this.#readDefaults(row.accountHash))?.maxFeePerGas ?? undefined
    const own = row.maxFeePerGas ?? undefined
    if (own === undefined || account === undefined) return own ?? account
    return own < account ? own : account
  }

  #facts() {
    return { chain: this.#context.chain.name, address: this.id.address }
  }

  // Blocks

  /** Finds out which transactions are in blocks, and which blocks are final. */
  async #settle(): Promise<void> {
    const { heads, monotonic } = this.#context
    const unmined = this.#unmined()
    const isDue = this.#needsCount || monotonic() - this.#countedAt > ACCOUNT_MAX_AGE_MS
    if (unmined.length > 0 && isDue) {
      this.#needsCount = false
      try {
        const { count } = await this.#readAccount(0)
        for (const transaction of unmined)
          if (transaction.nonce < count) transaction.needsReceipt = true
      } catch (error) {
        this.#needsCount = true
        throw error
      }
    }
    const due = [...this.#live.values()].filter(
      (one) => one.needsReceipt && one.attempts.length > 0 && !one.progress.hasEnded,
    )
    await Promise.all(due.map((transaction) => this.#readReceipt(transaction)))
    if (heads.head) await this.#finalize(heads.head)
  }

  async #readReceipt(transaction: LiveTransaction): Promise<void> {
    const { provider } = this.#context.chain
    // A new head may require another read in the meantime.
    transaction.needsReceipt = false
    const receipt = await findReceipt(provider, transaction.hashes).catch((error: unknown) => {
      transaction.needsReceipt = true
      throw error
    })
    if (receipt === 'unclear') {
      transaction.needsReceipt = true
      return
    }
    if (!receipt) {
      if (!transaction.isMined) return
      transaction.setUnmined()
      return this.#save(transaction)
    }
    const isReverted = receipt.status !== 1
    const reason = isReverted ? await this.#revertOf(transaction, receipt.blockNumber) : undefined
    transaction.setMined(receipt, reason)
    transaction.needsNonce = false
    transaction.foreignChecks = 0
    this.#spend(transaction, receipt.fee, !isReverted)
    this.#save(transaction)
  }

  /** The state before the block is the best approximation of the state before the transaction. */
  async #revertOf(transaction: LiveTransaction, block: number): Promise<string | undefined> {
    const { provider } = this.#context.chain
    const { call } = transaction
    return (
      (await revertAt(provider, call, Math.max(0, block - 1)).catch(() => undefined)) ??
      (await revertAt(provider, call, block).catch(() => undefined))
    )
  }

  /** Updates the account's state without a request. */
  #spend({ row }: LiveTransaction, fee: bigint, isSuccess: boolean): void {
    if (!this.#account || row.nonce === null) return
    const { count, balance, at } = this.#account
    if (row.nonce < count) return
    const spent = fee + (isSuccess ? row.value : 0n)
    this.#account = { count: row.nonce + 1, balance: balance - spent, at }
  }

  async #finalize(head: Head): Promise<void> {
    const finalBlock = head.number - this.#context.chain.finality
    const due = [...this.#live.values()].filter(
      ({ progress, needsReceipt }) =>
        progress.minedBlock !== null &&
        progress.minedBlock <= finalBlock &&
        !needsReceipt &&
        !progress.hasEnded,
    )
    if (due.length === 0) return
    const blocks = due.map(({ progress }) => progress.minedBlock!)
    const hashes = await this.#context.heads.canonicalHashes(blocks)
    for (const transaction of due) {
      const { minedBlock, minedBlockHash, state } = transaction.progress
      const hash = hashes.get(minedBlock!)
      if (hash === undefined) continue
      if (hash === minedBlockHash) {
        const ended = state === 'mined' ? 'final' : state
        transaction.progress = { ...transaction.progress, state: ended }
        this.#end(transaction)
      } else {
        transaction.needsReceipt = true
        this.#isWoken = true
      }
    }
  }

  // Nonces

  /** Looks for transactions of others that used the nonces of unmined transactions. */
  async #checkUsedNonces(): Promise<void> {
    const { heads, chain, monotonic } = this.#context
    const count = this.#account?.count ?? 0
    const unmined = this.#unmined()
    for (const transaction of unmined)
      if (transaction.nonce >= count && transaction.progress.waitingFor === 'nonce') {
        // A reorganization has removed the block in which the nonce was used.
        transaction.foreignChecks = 0
        this.#wait(transaction, null)
      }
    const used = unmined.filter(({ nonce, needsReceipt }) => nonce < count && !needsReceipt)
    const at = monotonic()
    if (used.length === 0 || at - this.#usedCheckedAt < CHECK_MS) return
    this.#usedCheckedAt = at
    const head = await heads.current(HEAD_MAX_AGE_MS)
    const finalBlock = head.number - chain.finality
    const finalCount = finalBlock < 0 ? 0 : await this.#readCount(toQuantity(finalBlock))
    for (const transaction of used) {
      const isFinal = transaction.nonce < finalCount
      transaction.foreignChecks = isFinal ? transaction.foreignChecks + 1 : 0
      this.#wait(transaction, 'nonce')
      if (transaction.foreignChecks >= CHECKS_UNTIL_LOST)
        await this.#resolveUsedNonce(transaction, finalBlock)
      else transaction.needsReceipt = true
    }
  }

  async #resolveUsedNonce(transaction: LiveTransaction, finalBlock: number): Promise<void> {
    const { chain, log } = this.#context
    const { address } = this.id
    const { row, nonce } = transaction
    const found = await findByNonce(chain.provider, address, nonce, finalBlock)
    if (found && transaction.attempts.some(({ hash }) => hash === found.hash)) {
      // The nodes that did not have the receipt lag.
      transaction.needsReceipt = true
      transaction.foreignChecks = 0
      return
    }
    if (!found && transaction.foreignChecks < CHECKS_WITHOUT_EVIDENCE) return
    const isSame =
      found?.to === row.to.toLowerCase() &&
      found.value === row.value &&
      found.data === row.data.toLowerCase()
    const isEmpty = found?.to === address && found.value === 0n && found.data === '0x'
    if (found && (isSame || isEmpty || transaction.isCancelling)) {
      transaction.setReplaced(found.hash)
      this.#end(transaction)
      return
    }
    log('transactions.foreign_nonce', { ...this.#facts(), id: transaction.id, nonces: 1 })
    transaction.needsNonce = true
    this.#blockedAt = undefined
  }

  /** Returns nonces that are not used in this lane, lowest first, so that gaps are filled. */
  *#freeNonces(count: number): Generator<number, never> {
    const taken = new Set<number>()
    for (const { row } of this.#live.values()) if (row.nonce !== null) taken.add(row.nonce)
    for (let nonce = Math.max(count, this.#lastEndedNonce + 1); ; nonce++)
      if (!taken.has(nonce)) yield nonce
  }

  /** Without a transaction for each nonce, no later transaction can be mined. */
  async #closeGaps(): Promise<void> {
    const { heads, monotonic, store, log } = this.#context
    const unmined = this.#unmined()
    const last = unmined.at(-1)
    const gaps = last ? this.#gapsBelow(last.nonce) : []
    const at = monotonic()
    if (gaps.length === 0) {
      this.#gapChecks = 0
      return
    }
    if (at - this.#gapCheckedAt < CHECK_MS) return
    this.#gapCheckedAt = at
    if (++this.#gapChecks < CHECKS_UNTIL_LOST) {
      this.#needsCount = true
      return
    }
    // A node that lags does not have this block.
    const head = await heads.current(HEAD_MAX_AGE_MS)
    const count = await this.#readCount(toQuantity(head.number))
    const lost = gaps.filter((nonce) => nonce >= count)
    if (lost.length === 0) {
      this.#account = undefined
      return
    }
    const ended = lost.filter((nonce) => nonce <= this.#lastEndedNonce)
    if (ended.length > 0 && this.#gapChecks < CHECKS_WITHOUT_EVIDENCE) return
    this.#gapChecks = 0
    const reopened = ended.length === 0 ? 0 : await store.reopen(this.id, ended)
    if (reopened > 0) {
      log('transactions.reopened', { ...this.#facts(), transactions: reopened })
      this.#needsLoad = true
      this.#isWoken = true
      return
    }
    for (const nonce of lost) await this.#fillGap(nonce, last!)
  }

  #gapsBelow(highest: number): number[] {
    const taken = new Set<number>()
    for (const { row } of this.#live.values()) if (row.nonce !== null) taken.add(row.nonce)
    const gaps: number[] = []
    const { count } = this.#account ?? { count: highest }
    for (let nonce = count; nonce < highest && gaps.length < TRANSACTIONS_IN_FLIGHT_MAX; nonce++)
      if (!taken.has(nonce)) gaps.push(nonce)
    return gaps
  }

  /** Fills a gap with an empty transaction to the wallet itself. */
  async #fillGap(nonce: number, stuck: LiveTransaction): Promise<void> {
    const { market, signer, store, newId, log } = this.#context
    const { row } = stuck
    const id = newId()
    const fees = marketFees(await market.current(), 'fast')
    const empty = { to: this.id.address, data: '0x', value: 0n }
    const unsigned = { chainId: this.id.chainId, nonce, ...empty, gasLimit: TRANSFER_GAS, ...fees }
    const result = await signer.cancel(unsigned, fees, { ...stuck.context, id })
    if ('refused' in result) return
    const { hash, raw } = result.signed
    const attempt = { hash, transactionId: id, kind: 'cancel' as const, nonce, raw, ...fees }
    const { accountHash, pkpId, keyHash, actionCid } = row
    const inserted = await store.insertSigned(
      {
        id,
        ...this.id,
        ...empty,
        accountHash,
        pkpId,
        keyHash,
        actionCid,
        requestHash: '',
        gasLimit: TRANSFER_GAS,
        speed: 'fast',
        errors: [],
      },
      attempt,
    )
    if (inserted === 'lane_lost') this.#context.onLost()
    if (inserted !== 'recorded') return
    log('transactions.gap_filled', { ...this.#facts(), id })
    this.#needsLoad = true
    this.#isWoken = true
  }

  // Replacements

  /** Cancels and speeds up on request, and raises fees that are too low. */
  async #replace(): Promise<void> {
    const { heads, market } = this.#context
    const head = heads.head
    for (const transaction of this.#queue())
      if (transaction.needsNonce && transaction.row.cancelRequestedAt !== null) {
        transaction.progress = { ...transaction.progress, state: 'cancelled' }
        this.#end(transaction)
      }
    const unmined = this.#unmined().filter(({ progress }) => progress.waitingFor !== 'nonce')
    const wanted = unmined.filter((transaction) => this.#wantsReplacement(transaction, head))
    if (wanted.length === 0) return
    const current = await market.current()
    const replacements: Replacement[] = []
    for (const transaction of wanted) {
      const isFirst = transaction === unmined[0]
      const replacement = await this.#replacementOf(transaction, current, isFirst)
      if (replacement) replacements.push(replacement)
    }
    if (replacements.length > 0) await this.#recordReplacements(replacements)
  }

  #wantsReplacement(transaction: LiveTransaction, head: Head | undefined): boolean {
    const { row, latest, isUnderpriced, signedAt, signedAtBlock, bumpAfter } = transaction
    if (row.cancelRequestedAt !== null && !transaction.isCancelling) return true
    if (row.speedUpRequestedAt !== null) return true
    const at = this.#context.monotonic()
    if (!head || at < bumpAfter) return false
    const isOverdue = at - signedAt > BUMP_AFTER_MS[row.speed] && head.number > signedAtBlock
    const isBelowBaseFee = head.baseFee > latest.maxFeePerGas
    if (isUnderpriced || isBelowBaseFee || isOverdue) return true
    if (transaction.progress.waitingFor === 'fees') this.#wait(transaction, null)
    return false
  }

  async #replacementOf(
    transaction: LiveTransaction,
    market: Market,
    isFirst: boolean,
  ): Promise<Replacement | undefined> {
    const { row, latest, isUnderpriced } = transaction
    const isRequested = row.speedUpRequestedAt !== null
    if (isRequested) this.#answerSpeedUp(transaction)
    const fees = marketFees(market, isRequested ? 'fast' : row.speed)
    if (row.cancelRequestedAt !== null && !transaction.isCancelling) {
      // The gas of an empty transaction is bounded, so the limit of the transaction does not prevent its cancellation.
      const cancelFees = replacementFees(latest, fees, undefined)
      if (cancelFees) return { transaction, kind: 'cancel', fees: cancelFees }
      this.#wait(transaction, 'fees')
      return undefined
    }
    const isCheap =
      isUnderpriced ||
      latest.maxFeePerGas < market.baseFee ||
      latest.maxPriorityFeePerGas < fees.maxPriorityFeePerGas
    // Transactions behind another one are not stuck because of their own fees, unless these are below the market's.
    if (!isRequested && !isFirst && !isCheap) return undefined
    const ceiling = transaction.isCancelling ? undefined : await this.#ceiling(transaction)
    const raised = replacementFees(latest, fees, ceiling)
    if (raised)
      return { transaction, kind: transaction.isCancelling ? 'cancel' : 'speed_up', fees: raised }
    transaction.isUnderpriced = false
    transaction.bumpAfter = this.#context.monotonic() + CHECK_MS
    this.#wait(transaction, 'fees')
    return undefined
  }

  #answerSpeedUp(transaction: LiveTransaction): void {
    const { speedUpRequestedAt } = transaction.row
    transaction.speedUpAnswered = speedUpRequestedAt
    transaction.row = { ...transaction.row, speedUpRequestedAt: null }
    if (speedUpRequestedAt)
      // If this fails, the fees are raised a second time.
      this.#context.store.clearSpeedUp(transaction.id, speedUpRequestedAt).catch(() => {})
  }

  async #recordReplacements(replacements: readonly Replacement[]): Promise<void> {
    const { signer, log, monotonic } = this.#context
    const attempts: { replacement: Replacement; attempt: NewAttempt }[] = []
    for (const replacement of replacements) {
      const { transaction, kind, fees } = replacement
      const before = transaction.latestUnsigned
      const result =
        kind === 'cancel'
          ? await signer.cancel(before, fees, transaction.context)
          : await signer.replace({ ...before, ...fees }, before, transaction.context)
      if ('refused' in result) transaction.bumpAfter = monotonic() + REFUSED_MS
      else
        attempts.push({
          replacement,
          attempt: {
            ...newAttempt(transaction, result.signed, { ...before, ...fees }, kind),
            isFirst: false,
            waitingFor: null,
          },
        })
    }
    if (!(await this.#record(attempts.map(({ attempt }) => attempt)))) return
    for (const { replacement, attempt } of attempts) {
      const { transaction, kind } = replacement
      this.#setSigned(transaction, attempt)
      if (kind === 'speed_up') log('transactions.sped_up', { ...this.#facts(), id: transaction.id })
    }
    this.#send(attempts.map(({ replacement }) => replacement.transaction))
  }

  // Sending

  /** Signs queued transactions in their order, and sends them. */
  async #sendQueued(): Promise<void> {
    for (let isRetried = false; ;) {
      const room = TRANSACTIONS_IN_FLIGHT_MAX - this.#unmined().length
      const batch = this.#queue().slice(0, Math.min(room, BATCH_MAX))
      if (batch.length === 0 || this.#blockedAt === this.#position()) return
      const sent = await this.#sendBatch(batch)
      if (this.#isClosed || this.#needsLoad) return
      if (sent > 0 && !isRetried && this.#queue()[0]?.progress.waitingFor === 'order') {
        // The first transaction that waits may depend on one that was just sent.
        await this.#sending
        this.#blockedAt = undefined
        isRetried = true
      } else if (this.#blockedAt !== undefined) return
    }
  }

  /** Changes whenever a transaction that could not be sent may become sendable. */
  #position(): string {
    return `${this.#context.heads.head?.hash} ${this.#unmined().length}`
  }

  /** @returns the number of signed transactions */
  async #sendBatch(batch: readonly LiveTransaction[]): Promise<number> {
    const { chain, heads, market } = this.#context
    const [head, current, account, ...simulations] = await Promise.all([
      heads.current(HEAD_MAX_AGE_MS),
      market.current(),
      this.#readAccount(ACCOUNT_MAX_AGE_MS),
      ...batch.map(({ call }) => settled(simulate(chain.provider, call))),
    ])
    const ready: Ready[] = []
    let available = this.#unmined().reduce(
      (left, { latest }) => left - latest.costMax,
      account.balance,
    )
    this.#blockedAt = undefined
    for (const [index, transaction] of batch.entries()) {
      const simulation = simulations[index]!
      if ('error' in simulation) {
        if (index === 0) throw simulation.error
        break
      }
      const planned = await this.#plan(transaction, simulation, {
        head,
        market: current,
        available,
        ready,
      })
      if (planned === 'blocked') {
        this.#blockedAt = this.#position()
        break
      }
      if (planned === 'failed') continue
      available -= planned.gasLimit * planned.fees.maxFeePerGas + transaction.row.value
      ready.push(planned)
    }
    return this.#signAndSend(ready)
  }

  /** Decides whether a transaction can be signed now. */
  async #plan(
    transaction: LiveTransaction,
    simulation: Simulation,
    state: { head: Head; market: Market; available: bigint; ready: readonly Ready[] },
  ): Promise<Ready | 'blocked' | 'failed'> {
    const { head, market } = state
    const { row, requestedGas } = transaction
    const isBehind = state.ready.length > 0 || this.#unmined().length > 0
    if (requestedGas !== undefined && requestedGas > head.gasLimit) {
      const message = `the gas limit ${requestedGas} is higher than that of a block, ${head.gasLimit}`
      this.#reject(transaction, 'gas_limit_too_high', message)
      return 'failed'
    }
    if (simulation.outcome === 'reverted') {
      if (isBehind) {
        this.#wait(transaction, 'order')
        return 'blocked'
      }
      return this.#confirmRevert(transaction, simulation.reason, head)
    }
    transaction.unconfirmedReverts = 0
    const gasLimit =
      requestedGas ??
      (simulation.outcome === 'passed' ? gasLimitOf(simulation.gas, head.gasLimit) : TRANSFER_GAS)
    const fees = clampFees(marketFees(market, row.speed), await this.#ceiling(transaction))
    const cost = gasLimit * fees.maxFeePerGas + row.value
    if (cost > state.available || simulation.outcome === 'unaffordable') {
      if (isBehind) {
        this.#wait(transaction, 'funds')
        return 'blocked'
      }
      const { balance } = await this.#readAccount(0)
      if (cost > balance) {
        this.#reject(
          transaction,
          'insufficient_funds',
          fundsMessage(balance, row.value, gasLimit, fees),
        )
        return 'failed'
      }
      // The wallet was funded in between, so the next check simulates again.
      if (simulation.outcome === 'unaffordable') return 'blocked'
    }
    return { transaction, gasLimit, fees, isBelowBaseFee: fees.maxFeePerGas < head.baseFee }
  }

  /** A revert is accepted only at a block that all responding nodes have, because a lagging node might report it. */
  async #confirmRevert(
    transaction: LiveTransaction,
    reason: string,
    head: Head,
  ): Promise<'failed' | 'blocked'> {
    const { provider } = this.#context.chain
    const confirmed = await revertAt(provider, transaction.call, head.number)
    const isUnconfirmed = confirmed === undefined
    if (isUnconfirmed && ++transaction.unconfirmedReverts < UNCONFIRMED_REVERTS_MAX) {
      // Without blocks, nothing else would wake the lane before the next check.
      this.#context.heads.wake()
      return 'blocked'
    }
    this.#reject(transaction, 'would_revert', confirmed ?? reason)
    return 'failed'
  }

  async #signAndSend(ready: readonly Ready[]): Promise<number> {
    const nonces = this.#freeNonces(this.#account?.count ?? 0)
    const signed: { transaction: LiveTransaction; attempt: NewAttempt }[] = []
    let nonce = nonces.next().value
    for (const { transaction, gasLimit, fees, isBelowBaseFee } of ready) {
      const wanted = transaction.unsigned(nonce, gasLimit, fees)
      let result: SigningResult
      let unsigned = wanted
      try {
        ;({ result, unsigned } = await this.#sign(transaction, wanted))
      } catch (error) {
        // Transactions that were signed before are not held up.
        if (signed.length === 0) throw error
        break
      }
      if ('refused' in result) {
        this.#reject(transaction, result.refused.code, result.refused.message)
        continue
      }
      const attempt = newAttempt(transaction, result.signed, unsigned, 'send')
      const isFirst = transaction.progress.state === 'queued'
      const waitingFor = isBelowBaseFee ? ('fees' as const) : null
      signed.push({ transaction, attempt: { ...attempt, isFirst, waitingFor } })
      nonce = nonces.next().value
    }
    if (!(await this.#record(signed.map(({ attempt }) => attempt)))) return 0
    for (const { transaction, attempt } of signed) {
      this.#signed.delete(transaction.id)
      transaction.progress = { ...transaction.progress, waitingFor: attempt.waitingFor }
      this.#setSigned(transaction, attempt)
    }
    this.#send(signed.map(({ transaction }) => transaction))
    return signed.length
  }

  /** Uses the signature of an attempt that was not recorded again, because a policy may have counted it. */
  async #sign(
    transaction: LiveTransaction,
    wanted: UnsignedTransaction,
  ): Promise<{ result: SigningResult; unsigned: UnsignedTransaction }> {
    const { signer, monotonic } = this.#context
    const kept = this.#signed.get(transaction.id)
    const isUsable =
      kept?.unsigned.nonce === wanted.nonce &&
      kept.unsigned.gasLimit === wanted.gasLimit &&
      monotonic() - kept.at < SIGNED_KEPT_MS
    if (isUsable) return { result: { signed: kept.signed }, unsigned: kept.unsigned }
    const result = await signer.sign(wanted, transaction.context)
    if ('signed' in result)
      this.#signed.set(transaction.id, {
        unsigned: wanted,
        signed: result.signed,
        at: monotonic(),
      })
    return { result, unsigned: wanted }
  }

  /** @returns true if the attempts are in the database, so that their bytes may be sent */
  async #record(attempts: readonly NewAttempt[]): Promise<boolean> {
    if (attempts.length === 0 || this.#isClosed) return false
    this.#needsLoad = true
    const rejected = [...this.#live.values()].filter(({ progress }) => progress.hasEnded)
    const recorded = await this.#context.store.recordAttempts(
      this.id,
      attempts,
      rejected.map(({ id }) => id),
    )
    if (recorded === 'lane_lost') this.#context.onLost()
    // The rows are read again, because another process has changed them.
    if (recorded !== 'recorded') {
      this.#isWoken = true
      return false
    }
    this.#needsLoad = false
    return true
  }

  #setSigned(transaction: LiveTransaction, attempt: NewAttempt): void {
    const { monotonic, heads, onSaved } = this.#context
    const block = heads.head?.number ?? -1
    transaction.setSigned(attemptOf(attempt), attempt.gasLimit, monotonic(), block)
    onSaved(transaction.id)
  }

  /** Sends the latest attempts, without waiting for the responses. */
  #send(transactions: readonly LiveTransaction[]): void {
    if (this.#isClosed) return
    const sends = transactions.map((transaction) => this.#broadcast(transaction))
    this.#sending = Promise.all([this.#sending, ...sends])
  }

  async #broadcast(transaction: LiveTransaction): Promise<void> {
    const { chain, monotonic } = this.#context
    const attempt: Attempt = transaction.latest
    const elapsed = Math.max(0, monotonic() - transaction.signedAt)
    transaction.sentAt = monotonic()
    transaction.resendAt =
      transaction.sentAt + Math.min(RESEND_MAX_MS, Math.max(RESEND_MS, elapsed))
    const outcome = await chain.provider
      .send('eth_sendRawTransaction', [attempt.raw])
      .then(() => 'accepted' as const, broadcastFailure)
    if (transaction.latest !== attempt || !transaction.isUnmined) return
    switch (outcome) {
      case 'accepted':
        transaction.isAccepted = true
        if (transaction.progress.waitingFor === 'funds') this.#wait(transaction, null)
        if (transaction.progress.state !== 'signed') return
        transaction.progress = { ...transaction.progress, state: 'broadcast' }
        return this.#save(transaction)
      case 'underpriced':
        transaction.isUnderpriced = true
        return this.wake()
      case 'nonce_used':
        this.#needsCount = true
        return this.wake()
      case 'unaffordable':
        return this.#wait(transaction, 'funds')
      case 'unknown':
        return
    }
  }

  /** Sends bytes again that no node has accepted, or that the nodes have dropped. */
  async #rebroadcast(): Promise<void> {
    const { monotonic } = this.#context
    const at = monotonic()
    const next = this.#unmined()
      .filter(({ progress }) => progress.waitingFor !== 'nonce')
      .slice(0, RESEND_COUNT_MAX)
    const due = next.filter(({ isAccepted, resendAt }) => !isAccepted && resendAt <= at)
    const accepted = next.filter(
      ({ isAccepted, sentAt }) => isAccepted && at - sentAt > POOL_CHECK_MS,
    )
    if (accepted.length > 0 && at - this.#poolCheckedAt > POOL_CHECK_MS) {
      this.#poolCheckedAt = at
      const pending = await this.#readCount('pending')
      due.push(...accepted.filter(({ nonce }) => nonce >= pending))
    }
    if (due.length > 0) this.#send(due)
  }
}

function newAttempt(
  transaction: LiveTransaction,
  { hash, raw, policy }: SignedTransaction,
  { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas }: UnsignedTransaction,
  kind: Attempt['kind'],
): Omit<NewAttempt, 'isFirst' | 'waitingFor'> {
  const { row } = transaction
  return {
    hash: hash.toLowerCase(),
    transactionId: transaction.id,
    kind,
    nonce,
    raw,
    maxFeePerGas,
    maxPriorityFeePerGas,
    gasLimit,
    policyHash: policy?.hash ?? row.policyHash,
    policyRule: policy?.rule ?? row.policyRule,
  }
}

function fundsMessage(balance: bigint, value: bigint, gasLimit: bigint, fees: Fees): string {
  const gas = gasLimit * fees.maxFeePerGas
  return `the wallet has ${formatEther(balance)} and needs ${formatEther(value + gas)} of the chain’s coin, of which ${formatEther(gas)} may be spent on gas`
}

async function settled(
  simulation: Promise<Simulation>,
): Promise<Simulation | { error: unknown; outcome?: undefined }> {
  return simulation.catch((error: unknown) => ({ error }))
}
