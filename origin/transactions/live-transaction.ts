import { Transaction, type TransactionReceipt } from 'ethers'
import type { TransactionFailureCode, WaitingReason } from '../../shared/wire/transaction-states.ts'
import type { Fees } from './fees.ts'
import type { SimulatedCall } from './simulation.ts'
import type { Progress } from './save-progress.ts'
import type { AttemptRow, TransactionRow } from './transaction-record.ts'
import type { SigningContext, UnsignedTransaction } from './types.ts'

export type Attempt = Pick<AttemptRow, 'hash' | 'kind' | 'nonce' | 'raw'> &
  Fees & {
    /** Maximum cost in wei. 0 if a later attempt has replaced this one. */
    costMax: bigint
  }

/** A transaction that has not ended, in the memory of the process that holds its lane. */
export class LiveTransaction {
  row: TransactionRow
  /** Signed transactions, oldest first. Each of them has been recorded. */
  attempts: Attempt[]
  progress: Progress
  /** True if its nonce was used by another transaction in a final block, so that it needs another nonce. */
  needsNonce = false
  /** True if the receipts of its attempts must be read. */
  needsReceipt = false
  /** True if the latest progress has not been written to the database. */
  isDirty = false
  /** Consecutive checks at which its nonce was used in a final block, and none of its attempts was in a block. */
  foreignChecks = 0
  /** Simulations in a row that failed, but not at a given block. */
  unconfirmedReverts = 0
  isUnderpriced = false
  /** Time of the last request for higher fees that was carried out. */
  speedUpAnswered: Date | null = null
  /** True if a node has accepted the latest attempt. */
  isAccepted = false
  /** Unix milliseconds at which it was signed first, or created if it is not signed. */
  waitsSince: number
  /** Times in `monotonic()` milliseconds. */
  sentAt = Number.NEGATIVE_INFINITY
  resendAt = Number.NEGATIVE_INFINITY
  signedAt: number
  /** Earliest time of the next attempt with higher fees. */
  bumpAfter = Number.NEGATIVE_INFINITY
  /** Earliest time of the first attempt that cancels it. */
  cancelAfter = Number.NEGATIVE_INFINITY
  /** Number of the chain's head when the latest attempt was signed. */
  signedAtBlock: number

  constructor(
    row: TransactionRow,
    attempts: readonly AttemptRow[],
    signedAt: number,
    signedAtBlock: number,
  ) {
    this.row = row
    this.attempts = attempts.map(attemptOf)
    this.waitsSince = (attempts[0] ?? row).createdAt.getTime()
    this.progress = progressOf(row)
    this.signedAt = signedAt
    this.signedAtBlock = signedAtBlock
  }

  get id(): string {
    return this.row.id
  }

  /** True if it has to be signed, for the first time or with another nonce. */
  get isQueued(): boolean {
    return !this.progress.hasEnded && (this.progress.state === 'queued' || this.needsNonce)
  }

  get isMined(): boolean {
    return this.progress.minedBlock !== null
  }

  /** True if it is signed, and not known to be in a block. */
  get isUnmined(): boolean {
    return !this.progress.hasEnded && !this.isQueued && !this.isMined
  }

  /** The nonce of its attempts. Only defined after the first signature. */
  get nonce(): number {
    return this.row.nonce!
  }

  get latest(): Attempt {
    return this.attempts.at(-1)!
  }

  get isCancelling(): boolean {
    return this.latest.kind === 'cancel'
  }

  /** True if nobody has requested it, because it fills a gap between nonces. */
  get isFiller(): boolean {
    return this.attempts.length > 0 && this.attempts.every(({ kind }) => kind === 'cancel')
  }

  /** Hashes of the attempts that can be mined, latest first. */
  get hashes(): string[] {
    return this.attempts
      .filter(({ nonce }) => nonce === this.row.nonce)
      .map(({ hash }) => hash)
      .toReversed()
  }

  get call(): SimulatedCall {
    const { address, to, data, value, errors } = this.row
    return { from: address, to, data, value, gasLimit: this.requestedGas, errors }
  }

  /** The gas limit of the request. The column is overwritten when the transaction is signed. */
  get requestedGas(): bigint | undefined {
    return this.row.gasLimit ?? undefined
  }

  /**
   * Returns the time of a request for higher fees in a row that was just read. The row may have been read before the
   * answer to the request was written, and the fees must not be raised twice then.
   */
  unansweredSpeedUp({
    speedUpRequestedAt,
  }: Pick<TransactionRow, 'speedUpRequestedAt'>): Date | null {
    const answered = this.speedUpAnswered?.getTime() ?? Number.NEGATIVE_INFINITY
    return speedUpRequestedAt && speedUpRequestedAt.getTime() > answered ? speedUpRequestedAt : null
  }

  /** Takes over what an instance from an earlier read of the row has answered. */
  keepAnswer(earlier: LiveTransaction): void {
    this.speedUpAnswered = earlier.speedUpAnswered
    this.row = { ...this.row, speedUpRequestedAt: this.unansweredSpeedUp(this.row) }
  }

  get context(): SigningContext {
    const { id, accountHash, pkpId, address, keyHash, actionCid } = this.row
    return { id, accountHash, pkpId, address, keyHash, actionCid }
  }

  unsigned(nonce: number, gasLimit: bigint, fees: Fees): UnsignedTransaction {
    const { chainId, to, data, value } = this.row
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    return { chainId, nonce, to, data, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas }
  }

  /** Returns the latest attempt that executes the request, without its signature. */
  get latestUnsigned(): UnsignedTransaction {
    const attempt = this.attempts.findLast(({ kind }) => kind !== 'cancel') ?? this.latest
    return this.unsigned(attempt.nonce, this.row.gasLimit ?? 0n, attempt)
  }

  setMined(receipt: TransactionReceipt, revert: string | undefined): void {
    this.needsNonce = false
    this.foreignChecks = 0
    const kind = this.attempts.find(({ hash }) => hash === receipt.hash.toLowerCase())?.kind
    const isReverted = receipt.status !== 1
    this.progress = {
      ...this.progress,
      state: kind === 'cancel' ? 'cancelled' : isReverted ? 'failed' : 'mined',
      waitingFor: null,
      waitingMessage: null,
      minedHash: receipt.hash.toLowerCase(),
      minedBlock: receipt.blockNumber,
      minedBlockHash: receipt.blockHash.toLowerCase(),
      gasUsed: receipt.gasUsed,
      effectiveGasPrice: receipt.gasPrice,
      failureCode: isReverted && kind !== 'cancel' ? 'reverted' : null,
      failureMessage: isReverted && kind !== 'cancel' ? (revert ?? 'reverted') : null,
    }
  }

  /** A reorganization has removed its block. */
  setUnmined(): void {
    this.progress = { ...EMPTY, state: 'broadcast' }
    this.isAccepted = false
    this.resendAt = Number.NEGATIVE_INFINITY
  }

  setFailed(failureCode: TransactionFailureCode, failureMessage: string): void {
    this.progress = { ...EMPTY, state: 'failed', failureCode, failureMessage, hasEnded: true }
  }

  setReplaced(replacedBy: string): void {
    this.progress = { ...EMPTY, state: 'replaced', replacedBy, hasEnded: true }
  }

  /** @returns true if that is new */
  setWaiting(waitingFor: WaitingReason | null, waitingMessage: string | null): boolean {
    const { progress } = this
    if (progress.waitingFor === waitingFor && progress.waitingMessage === waitingMessage)
      return false
    this.progress = { ...progress, waitingFor, waitingMessage }
    return true
  }

  /** A new attempt was recorded. */
  setSigned(
    attempt: Attempt,
    {
      gasLimit,
      waitingFor,
      at,
      now,
      block,
    }: {
      gasLimit: bigint
      waitingFor: WaitingReason | null
      /** `monotonic()` milliseconds. */
      at: number
      /** Unix milliseconds. */
      now: number
      /** Number of the chain's head. */
      block: number
    },
  ): void {
    if (this.attempts.length === 0) this.waitsSince = now
    const state = this.isQueued ? 'signed' : this.progress.state
    this.attempts.push(attempt)
    this.row = { ...this.row, nonce: attempt.nonce, gasLimit }
    this.progress = { ...this.progress, state, waitingFor, waitingMessage: null }
    this.needsNonce = false
    this.isUnderpriced = false
    this.isAccepted = false
    this.foreignChecks = 0
    this.signedAt = at
    this.signedAtBlock = block
  }
}

const EMPTY: Progress = {
  state: 'broadcast',
  waitingFor: null,
  waitingMessage: null,
  minedHash: null,
  minedBlock: null,
  minedBlockHash: null,
  gasUsed: null,
  effectiveGasPrice: null,
  replacedBy: null,
  failureCode: null,
  failureMessage: null,
  hasEnded: false,
}

function progressOf(row: TransactionRow): Progress {
  return {
    state: row.state,
    waitingFor: row.waitingFor,
    waitingMessage: row.waitingMessage,
    minedHash: row.minedHash,
    minedBlock: row.minedBlock,
    minedBlockHash: row.minedBlockHash,
    gasUsed: row.gasUsed,
    effectiveGasPrice: row.effectiveGasPrice,
    replacedBy: row.replacedBy,
    failureCode: row.failureCode,
    failureMessage: row.failureMessage,
    hasEnded: row.endedAt !== null,
  }
}

export function attemptOf(row: Omit<AttemptRow, 'createdAt' | 'transactionId'>): Attempt {
  const { hash, kind, nonce, raw, maxFeePerGas, maxPriorityFeePerGas } = row
  const signed = raw === '' ? undefined : Transaction.from(raw)
  const costMax = signed ? signed.gasLimit * maxFeePerGas + signed.value : 0n
  return { hash, kind, nonce, raw, maxFeePerGas, maxPriorityFeePerGas, costMax }
}
