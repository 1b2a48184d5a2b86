import { TRANSACTION_ATTEMPTS_MAX } from '../../shared/limits.ts'
import type { Broadcaster } from './broadcaster.ts'
import {
  BUMP_AFTER_MS,
  cancellationFees,
  type Fees,
  feesOf,
  type Market,
  marketFees,
  replacementFees,
} from './fees.ts'
import type { Head } from './head-tracker.ts'
import { signFiller } from './gap-filler.ts'
import { CHECK_MS, REFUSED_MS } from './lane-context.ts'
import { type LaneState, newAttempt } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'
import type { NewAttempt } from './record-attempts.ts'
import type { SigningResult } from './types.ts'

type Replacement = { transaction: LiveTransaction; kind: 'speed_up' | 'cancel'; fees: Fees }

/** Cancels and speeds up transactions on request, and raises fees that are too low. */
export class Replacements {
  readonly #lane: LaneState
  readonly #broadcaster: Broadcaster

  constructor(lane: LaneState, broadcaster: Broadcaster) {
    this.#lane = lane
    this.#broadcaster = broadcaster
  }

  /** @throws if the nodes, the database or the signer do not respond */
  async make(): Promise<void> {
    const lane = this.#lane
    const { heads, market } = lane.context
    for (const transaction of lane.queue())
      if (
        transaction.needsNonce &&
        (transaction.row.cancelRequestedAt !== null || transaction.isFiller)
      )
        lane.end(transaction, 'cancelled')
    const unmined = lane.unmined().filter(({ progress }) => progress.waitingFor !== 'nonce')
    const wanted = unmined.filter((transaction) => this.#isWanted(transaction, heads.head))
    if (wanted.length === 0) return
    const current = await market.current()
    const replacements: Replacement[] = []
    for (const transaction of wanted) {
      const isFirst = transaction === unmined[0]
      const replacement = await this.#replacementOf(transaction, current, isFirst)
      if (replacement) replacements.push(replacement)
    }
    await this.#record(replacements, current)
  }

  #isWanted(transaction: LiveTransaction, head: Head | undefined): boolean {
    const { row, latest, isUnderpriced, signedAt, signedAtBlock, bumpAfter } = transaction
    if (row.speedUpRequestedAt !== null) return true
    const at = this.#lane.context.monotonic()
    if (row.cancelRequestedAt !== null && !transaction.isCancelling)
      return at >= transaction.cancelAfter
    if (!head || at < bumpAfter) return false
    // While a chain halts, higher fees would not help. A node that lies could raise them without end.
    const hasNewBlock = head.number > signedAtBlock
    const isOverdue = at - signedAt > BUMP_AFTER_MS[row.speed]
    if (hasNewBlock && (isUnderpriced || isOverdue)) return true
    if (head.baseFee > latest.maxFeePerGas) return true
    const { waitingFor, waitingMessage } = transaction.progress
    // What was refused is shown until it is mined, or signed after all.
    if (waitingFor === 'fees' && waitingMessage === null) this.#lane.wait(transaction, null)
    return false
  }

  async #replacementOf(
    transaction: LiveTransaction,
    market: Market,
    isFirst: boolean,
  ): Promise<Replacement | undefined> {
    const lane = this.#lane
    const { row, latest, isUnderpriced, isCancelling } = transaction
    const isRequested = row.speedUpRequestedAt !== null
    if (isRequested) this.#answerSpeedUp(transaction)
    const speed = isRequested ? 'fast' : row.speed
    const fees = marketFees(market, speed)
    const isCancellation = isCancelling || row.cancelRequestedAt !== null
    const isCheap =
      isUnderpriced ||
      latest.maxFeePerGas < market.baseFee ||
      latest.maxPriorityFeePerGas < fees.maxPriorityFeePerGas
    const isDue = isRequested || isFirst || isCheap || isCancellation !== isCancelling
    // Transactions behind another one are not stuck because of their own fees, unless these are below the market's.
    if (!isDue) return undefined
    // The gas of an empty transaction is bounded, so the limit of the transaction does not prevent its cancellation.
    const raised = isCancellation
      ? cancellationFees(latest, market, speed)
      : transaction.attempts.length < TRANSACTION_ATTEMPTS_MAX
        ? replacementFees(latest, fees, await lane.account.ceiling(transaction))
        : undefined
    if (raised) return { transaction, kind: isCancellation ? 'cancel' : 'speed_up', fees: raised }
    transaction.isUnderpriced = false
    this.#postpone(transaction, CHECK_MS)
    lane.wait(transaction, 'fees')
    return undefined
  }

  #postpone(transaction: LiveTransaction, delayMs: number): void {
    const at = this.#lane.context.monotonic() + delayMs
    transaction.bumpAfter = at
    if (transaction.row.cancelRequestedAt !== null) transaction.cancelAfter = at
  }

  #answerSpeedUp(transaction: LiveTransaction): void {
    const { speedUpRequestedAt } = transaction.row
    transaction.speedUpAnswered = speedUpRequestedAt
    transaction.row = { ...transaction.row, speedUpRequestedAt: null }
    if (speedUpRequestedAt)
      // If this fails, the fees are raised a second time.
      this.#lane.context.store.clearSpeedUp(transaction.id, speedUpRequestedAt).catch(() => {})
  }

  async #record(replacements: readonly Replacement[], market: Market): Promise<void> {
    const lane = this.#lane
    const { log } = lane.context
    const signed: { replacement: Replacement; attempt: NewAttempt }[] = []
    for (const replacement of replacements) {
      const { transaction, kind } = replacement
      const { result, fees } = await this.#sign(replacement)
      if (!result || 'refused' in result) {
        // The attempts before it stay valid.
        this.#postpone(transaction, REFUSED_MS)
        lane.wait(transaction, 'fees', result?.refused.message)
        continue
      }
      const waitingFor = fees.maxFeePerGas < market.baseFee ? 'fees' : null
      const after = { ...transaction.latestUnsigned, ...fees }
      const attempt = newAttempt(transaction, result.signed, after, kind, waitingFor)
      signed.push({ replacement, attempt })
    }
    if (!(await lane.record(signed.map(({ attempt }) => attempt)))) return
    for (const { replacement } of signed)
      if (replacement.kind === 'speed_up')
        log('transactions.sped_up', { ...lane.facts(), id: replacement.transaction.id })
    this.#broadcaster.send(signed.map(({ replacement }) => replacement.transaction))
  }

  /** @returns no result if the transaction fills a gap, and those above it are too cheap */
  async #sign({
    transaction,
    kind,
    fees,
  }: Replacement): Promise<{ result?: SigningResult; fees: Fees }> {
    const { signer } = this.#lane.context
    const { id, nonce, latestUnsigned: before, context, isFiller } = transaction
    if (isFiller) {
      const filler = { id, nonce, replaced: feesOf(before) }
      const within = (ceiling: bigint) => replacementFees(before, fees, ceiling)
      return (await signFiller(this.#lane, filler, within)) ?? { fees }
    }
    const result =
      kind === 'cancel'
        ? await signer.cancel(before, fees, context)
        : await signer.replace({ ...before, ...fees }, before, context)
    return { result, fees }
  }
}
