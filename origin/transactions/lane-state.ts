import type { TransactionFailureCode, WaitingReason } from '../../shared/wire/transaction-states.ts'
import { LaneAccount } from './lane-account.ts'
import type { LaneContext } from './lane-context.ts'
import type { LaneId } from './lane-leases.ts'
import { type Attempt, attemptOf, LiveTransaction } from './live-transaction.ts'
import type { NewAttempt } from './record-attempts.ts'
import type { RequestedChange } from './store.ts'
import type { TransactionRow } from './transaction-record.ts'
import type { SignedTransaction, UnsignedTransaction } from './types.ts'

/** The open transactions of a lane, in the memory of the process that holds it. */
export class LaneState {
  readonly id: LaneId
  readonly context: LaneContext
  readonly account: LaneAccount
  readonly #live = new Map<string, LiveTransaction>()
  readonly #wake: () => void
  #hasLoaded = false
  #lastEndedNonce = -1
  isClosed = false
  /** True if the rows must be read again before anything else is done. */
  needsLoad = true
  /** True if the transaction count must be read again. */
  needsCount = false
  /** State of the chain and the lane at which the first queued transaction could not be sent. */
  blockedAt: string | undefined
  /** Time at which the lane last had an open transaction, in `monotonic()` milliseconds. */
  usedAt: number

  /** @param wake requests another round of the lane's steps */
  constructor(id: LaneId, context: LaneContext, wake: () => void) {
    this.id = id
    this.context = context
    this.account = new LaneAccount(id, context)
    this.#wake = wake
    this.usedAt = context.monotonic()
  }

  /** Undefined before the rows were read. */
  get openCount(): number | undefined {
    return this.#hasLoaded ? this.#live.size : undefined
  }

  get isEmpty(): boolean {
    return this.#live.size === 0
  }

  /** Highest nonce of a transaction that has ended. */
  get lastEndedNonce(): number {
    return this.#lastEndedNonce
  }

  all(): IterableIterator<LiveTransaction> {
    return this.#live.values()
  }

  /** Transactions that have to be signed, in their order. */
  queue(): LiveTransaction[] {
    return [...this.#live.values()]
      .filter(({ isQueued }) => isQueued)
      .toSorted((one, other) => one.row.sequence - other.row.sequence)
  }

  /** Signed transactions that are not in a block, by nonce. */
  unmined(): LiveTransaction[] {
    return [...this.#live.values()]
      .filter(({ isUnmined }) => isUnmined)
      .toSorted((one, other) => one.nonce - other.nonce)
  }

  /** Nonces of transactions that have not ended. */
  takenNonces(): Set<number> {
    const taken = new Set<number>()
    for (const { row } of this.#live.values()) if (row.nonce !== null) taken.add(row.nonce)
    return taken
  }

  readAccount(maxAgeMs: number) {
    const [first] = this.#live.values()
    const own = Math.max(this.#lastEndedNonce, ...this.takenNonces()) + 1
    return this.account.read(maxAgeMs, own, first?.row.accountHash ?? '')
  }

  facts() {
    return { chain: this.context.chain.name, address: this.id.address }
  }

  wake(): void {
    this.#wake()
  }

  /** @throws if the database does not respond */
  async load(): Promise<void> {
    const { store, monotonic, heads } = this.context
    this.needsLoad = false
    try {
      const { rows, attempts, lastEndedNonce = -1 } = await store.loadLane(this.id)
      this.#lastEndedNonce = Math.max(this.#lastEndedNonce, lastEndedNonce)
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
        if (known) transaction.keepAnswer(known)
        // The chain may have changed since the row was written.
        transaction.needsReceipt = stored.length > 0
        this.#live.set(row.id, transaction)
      }
      this.#hasLoaded = true
      this.needsCount = true
    } catch (error) {
      this.needsLoad = true
      throw error
    }
  }

  /** Adds a row that was inserted, or applies a request in it to cancel or speed up. */
  apply(row: TransactionRow): void {
    if (this.applyChange(row.id, row)) return
    if (row.endedAt !== null) return
    if (this.#hasLoaded && row.state === 'queued')
      this.#live.set(row.id, new LiveTransaction(row, [], this.context.monotonic(), -1))
    // A read in progress may not see the row.
    else this.needsLoad = true
  }

  /**
   * Applies a request to cancel or speed up.
   * @returns false if the transaction is not known
   */
  applyChange(id: string, change: RequestedChange): boolean {
    this.usedAt = this.context.monotonic()
    const known = this.#live.get(id)
    if (!known) {
      this.blockedAt = undefined
      return false
    }
    const { cancelRequestedAt, maxFeePerGas, endedAt } = change
    const speedUpRequestedAt = known.unansweredSpeedUp(change)
    if (endedAt !== null || maxFeePerGas !== known.row.maxFeePerGas) this.blockedAt = undefined
    known.row = { ...known.row, cancelRequestedAt, speedUpRequestedAt, maxFeePerGas }
    if (endedAt !== null && known.progress.state === 'queued') this.#live.delete(id)
    return true
  }

  /** Writes what happened to a transaction, without waiting. If that fails, the next round of the lane repeats it. */
  save(transaction: LiveTransaction): void {
    const { store, onSaved, onLost } = this.context
    const { progress, id } = transaction
    transaction.isDirty = true
    store.save({ ...this.id, id, progress }).then(
      (result) => {
        if (result === 'lane_lost') return onLost()
        if (result === 'saved') onSaved(id)
        if (this.#live.get(id) !== transaction || transaction.progress !== progress) return
        if (result === 'saved') {
          transaction.isDirty = false
          if (progress.hasEnded) this.#remove(transaction)
        } else {
          // Another process has ended the transaction, or this process has missed that an attempt was recorded.
          this.needsLoad = true
          this.#wake()
        }
      },
      () => {},
    )
  }

  saveDirty(): void {
    for (const transaction of this.#live.values()) if (transaction.isDirty) this.save(transaction)
  }

  /** @param message why the signer refused what it waits for */
  wait(
    transaction: LiveTransaction,
    reason: WaitingReason | null,
    message: string | null = null,
  ): void {
    if (transaction.setWaiting(reason, message)) this.save(transaction)
  }

  reject(transaction: LiveTransaction, code: TransactionFailureCode, message: string): void {
    transaction.setFailed(code, message)
    this.save(transaction)
  }

  /** Its state cannot change any more. */
  end(transaction: LiveTransaction, state: LiveTransaction['progress']['state']): void {
    transaction.progress = { ...transaction.progress, state, hasEnded: true }
    this.save(transaction)
  }

  #remove(transaction: LiveTransaction): void {
    const { row, progress, id } = transaction
    this.#live.delete(id)
    this.usedAt = this.context.monotonic()
    if (row.nonce !== null) this.#lastEndedNonce = Math.max(this.#lastEndedNonce, row.nonce)
    const { log } = this.context
    const facts = { ...this.facts(), id }
    if (progress.state === 'final') log('transactions.final', facts)
    else if (progress.state === 'cancelled') log('transactions.cancelled', facts)
    else if (progress.state === 'replaced') log('transactions.replaced', facts)
    else log('transactions.failed', { ...facts, code: progress.failureCode ?? 'unknown' })
  }

  /**
   * Records attempts of different transactions.
   * @returns true if they are in the database, so that their bytes may be sent
   * @throws if that is unknown
   */
  async record(attempts: readonly NewAttempt[]): Promise<boolean> {
    if (attempts.length === 0 || this.isClosed) return false
    const { store, now, monotonic, heads, onLost, onSaved } = this.context
    this.needsLoad = true
    const ended = [...this.#live.values()].filter(({ progress }) => progress.hasEnded)
    const rejected = ended.map(({ id }) => id)
    const recorded = await store.recordAttempts(this.id, attempts, rejected)
    if (recorded === 'lane_lost') onLost()
    if (recorded !== 'recorded') {
      // Other processes have changed the rows, so they are read again.
      this.#wake()
      return false
    }
    this.needsLoad = false
    for (const attempt of attempts) {
      const transaction = this.#live.get(attempt.transactionId)
      // It was removed in between if it was cancelled, which would have prevented the record.
      if (!transaction) continue
      const { gasLimit, waitingFor } = attempt
      const block = heads.head?.number ?? -1
      transaction.setSigned(attemptOf(attempt), {
        gasLimit,
        waitingFor,
        at: monotonic(),
        now: now(),
        block,
      })
      onSaved(transaction.id)
    }
    return true
  }
}

export function newAttempt(
  transaction: LiveTransaction,
  { hash, raw, policy }: SignedTransaction,
  { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas }: UnsignedTransaction,
  kind: Attempt['kind'],
  waitingFor: WaitingReason | null,
): NewAttempt {
  const { row, progress, id } = transaction
  return {
    hash: hash.toLowerCase(),
    transactionId: id,
    kind,
    nonce,
    raw,
    maxFeePerGas,
    maxPriorityFeePerGas,
    gasLimit,
    isFirst: progress.state === 'queued',
    knownNonce: row.nonce,
    waitingFor,
    policyHash: policy?.hash ?? row.policyHash,
    policyRule: policy?.rule ?? row.policyRule,
  }
}
