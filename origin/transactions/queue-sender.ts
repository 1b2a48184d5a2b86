import { formatEther } from 'ethers'
import { TRANSACTIONS_IN_FLIGHT_MAX } from '../../shared/limits.ts'
import type { Broadcaster } from './broadcaster.ts'
import { clampFees, type Fees, type Market, marketFees } from './fees.ts'
import type { Head } from './head-tracker.ts'
import { ACCOUNT_MAX_AGE_MS, CHECK_MS, HEAD_MAX_AGE_MS, TRANSFER_GAS } from './lane-context.ts'
import { type LaneState, newAttempt } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'
import { gasLimitOf, revertAt, simulate, type Simulation } from './simulation.ts'
import type { NewAttempt } from './record-attempts.ts'
import type { SignedTransaction, SigningResult, UnsignedTransaction } from './types.ts'

/** Transactions that are simulated at the same time, and recorded together. */
const BATCH_MAX = 32

/** Simulations that may fail without failing at a given block, before the transaction fails. */
const UNCONFIRMED_REVERTS_MAX = 3

/**
 * Longest delay before a transaction that could not be sent is simulated again, although the chain and the lane are as
 * before. The pool of a node may have changed.
 */
const RETRY_MAX_MS = 16_000

/** Signatures that were not recorded, because the database failed, are used again for this time. */
const SIGNED_KEPT_MS = 60_000

type Planned = { transaction: LiveTransaction; gasLimit: bigint; fees: Fees }

type Round = {
  head: Head
  market: Market
  /** Balance that earlier transactions cannot use, in wei. */
  available: bigint
  planned: Planned[]
}

/** Simulates queued transactions, signs them in their order, and sends them once they are recorded. */
export class QueueSender {
  readonly #lane: LaneState
  readonly #broadcaster: Broadcaster
  readonly #kept = new Map<
    string,
    { unsigned: UnsignedTransaction; signed: SignedTransaction; at: number }
  >()

  #lastBlockedAt: string | undefined
  /** Time in `monotonic()` milliseconds at which the queue is tried again, although nothing has changed. */
  #retryAt = Number.NEGATIVE_INFINITY
  #retryMs = CHECK_MS

  constructor(lane: LaneState, broadcaster: Broadcaster) {
    this.#lane = lane
    this.#broadcaster = broadcaster
  }

  /** @throws if the nodes, the database or the signer do not respond */
  async send(): Promise<void> {
    const lane = this.#lane
    for (let isRetried = false; ;) {
      const room = TRANSACTIONS_IN_FLIGHT_MAX - lane.unmined().length
      const batch = lane.queue().slice(0, Math.max(0, Math.min(room, BATCH_MAX)))
      if (batch.length === 0 || this.#isBlocked()) return
      const sent = await this.#sendBatch(batch)
      if (lane.isClosed || lane.needsLoad) return
      if (sent > 0 && !isRetried && lane.queue()[0]?.progress.waitingFor === 'order') {
        // The first transaction that waits may depend on one that was just sent.
        await this.#broadcaster.settled()
        lane.blockedAt = undefined
        isRetried = true
      } else if (lane.blockedAt !== undefined) return
    }
  }

  #isBlocked(): boolean {
    const { blockedAt, context } = this.#lane
    return blockedAt === this.#position() && context.monotonic() < this.#retryAt
  }

  /** The first transaction of the queue cannot be sent now. */
  #block(): void {
    const lane = this.#lane
    const position = this.#position()
    this.#retryMs =
      position === this.#lastBlockedAt ? Math.min(2 * this.#retryMs, RETRY_MAX_MS) : CHECK_MS
    this.#retryAt = lane.context.monotonic() + this.#retryMs
    this.#lastBlockedAt = position
    lane.blockedAt = position
  }

  /** Changes whenever a transaction that could not be sent may become sendable. */
  #position(): string {
    return `${this.#lane.context.heads.head?.hash} ${this.#lane.unmined().length}`
  }

  /** @returns the number of signed transactions */
  async #sendBatch(batch: readonly LiveTransaction[]): Promise<number> {
    const lane = this.#lane
    const { chain, heads, market } = lane.context
    const [head, current, account, ...simulations] = await Promise.all([
      heads.current(HEAD_MAX_AGE_MS),
      market.current(),
      lane.readAccount(ACCOUNT_MAX_AGE_MS),
      ...batch.map(({ call }) => settled(simulate(chain.provider, call))),
    ])
    const reserved = lane.unmined().reduce((sum, { latest }) => sum + latest.costMax, 0n)
    const available = account.balance - reserved
    const round: Round = { head, market: current, available, planned: [] }
    lane.blockedAt = undefined
    for (const [index, transaction] of batch.entries()) {
      const simulation = simulations[index]!
      if ('error' in simulation) {
        if (index === 0) throw simulation.error
        break
      }
      const planned = await this.#plan(transaction, simulation, round)
      if (planned === 'blocked') {
        this.#block()
        break
      }
      if (planned === 'rejected') continue
      round.available -= costOf(planned)
      round.planned.push(planned)
    }
    return this.#sign(round)
  }

  /** Decides whether a transaction can be signed now. A transaction behind others waits if it cannot. */
  async #plan(
    transaction: LiveTransaction,
    simulation: Simulation,
    { head, market, available, planned }: Round,
  ): Promise<Planned | 'blocked' | 'rejected'> {
    const lane = this.#lane
    const { row, requestedGas } = transaction
    const isBehind = planned.length > 0 || lane.unmined().length > 0
    if (requestedGas !== undefined && requestedGas > head.gasLimit) {
      const message = `the gas limit ${requestedGas} is higher than that of a block, ${head.gasLimit}`
      lane.reject(transaction, 'gas_limit_too_high', message)
      return 'rejected'
    }
    if (simulation.outcome === 'reverted') {
      if (!isBehind) return this.#confirmRevert(transaction, simulation.reason, head)
      lane.wait(transaction, 'order')
      return 'blocked'
    }
    transaction.unconfirmedReverts = 0
    const estimate = simulation.outcome === 'passed' ? simulation.gas : TRANSFER_GAS
    const gasLimit = gasLimitOf(estimate, requestedGas, head.gasLimit)
    const fees = clampFees(marketFees(market, row.speed), await lane.account.ceiling(transaction))
    const plan = { transaction, gasLimit, fees }
    const isAffordable = costOf(plan) <= available && simulation.outcome === 'passed'
    if (isAffordable) return plan
    if (isBehind) {
      lane.wait(transaction, 'funds')
      return 'blocked'
    }
    const { balance } = await lane.readAccount(0)
    // If the wallet was funded in between, the next round simulates again.
    if (costOf(plan) <= balance) return 'blocked'
    lane.reject(transaction, 'insufficient_funds', fundsMessage(balance, plan))
    return 'rejected'
  }

  /**
   * A revert is accepted only at a given block, because a node without the block might report it.
   * @throws if the nodes do not respond, do not agree, or do not have the block
   */
  async #confirmRevert(
    transaction: LiveTransaction,
    reason: string,
    head: Head,
  ): Promise<'rejected' | 'blocked'> {
    const lane = this.#lane
    const confirmed = await revertAt(lane.context.chain.provider, transaction.call, head.number)
    const isConfirmed = confirmed !== undefined
    if (!isConfirmed && ++transaction.unconfirmedReverts < UNCONFIRMED_REVERTS_MAX) {
      // Otherwise, nothing might follow the chain until the next block.
      lane.context.heads.wake()
      return 'blocked'
    }
    lane.reject(transaction, 'would_revert', confirmed ?? reason)
    return 'rejected'
  }

  async #sign({ planned, head }: Round): Promise<number> {
    const lane = this.#lane
    const { count } = lane.account
    // A reorganization made it unknown in the meantime. The next round reads it, and simulates again.
    if (count === undefined) return 0
    const nonces = this.#freeNonces(count)
    const signed: { transaction: LiveTransaction; attempt: NewAttempt }[] = []
    let nonce = nonces.next().value
    for (const { transaction, gasLimit, fees } of planned) {
      const wanted = transaction.unsigned(nonce, gasLimit, fees)
      const made = await this.#signOne(transaction, wanted).catch((error: unknown) => {
        // Transactions that were signed before are not held up.
        if (signed.length === 0) throw error
        return undefined
      })
      if (!made) break
      const { result, unsigned } = made
      if ('refused' in result) {
        lane.reject(transaction, result.refused.code, result.refused.message)
        continue
      }
      const waitingFor = unsigned.maxFeePerGas < head.baseFee ? 'fees' : null
      const attempt = newAttempt(transaction, result.signed, unsigned, 'send', waitingFor)
      signed.push({ transaction, attempt })
      nonce = nonces.next().value
    }
    if (!(await lane.record(signed.map(({ attempt }) => attempt)))) return 0
    for (const { transaction } of signed) this.#kept.delete(transaction.id)
    this.#broadcaster.send(signed.map(({ transaction }) => transaction))
    return signed.length
  }

  /** Returns nonces that are not used in this lane, lowest first, so that gaps are filled. */
  *#freeNonces(count: number): Generator<number, never> {
    const taken = this.#lane.takenNonces()
    const first = Math.max(count, this.#lane.lastEndedNonce + 1)
    for (let nonce = first; ; nonce++) if (!taken.has(nonce)) yield nonce
  }

  /** Uses a signature again that could not be recorded, because a policy may have counted it. */
  async #signOne(
    transaction: LiveTransaction,
    wanted: UnsignedTransaction,
  ): Promise<{ result: SigningResult; unsigned: UnsignedTransaction }> {
    const { signer, monotonic } = this.#lane.context
    const at = monotonic()
    for (const [id, kept] of this.#kept) if (at - kept.at > SIGNED_KEPT_MS) this.#kept.delete(id)
    const kept = this.#kept.get(transaction.id)
    const ceiling = await this.#lane.account.ceiling(transaction)
    if (
      kept?.unsigned.nonce === wanted.nonce &&
      kept.unsigned.gasLimit === wanted.gasLimit &&
      (ceiling === undefined || kept.unsigned.maxFeePerGas <= ceiling)
    )
      return { result: { signed: kept.signed }, unsigned: kept.unsigned }
    const result = await signer.sign(wanted, transaction.context)
    if ('signed' in result)
      this.#kept.set(transaction.id, { unsigned: wanted, signed: result.signed, at })
    return { result, unsigned: wanted }
  }
}

/** Maximum cost in wei. */
function costOf({ transaction, gasLimit, fees }: Planned): bigint {
  return gasLimit * fees.maxFeePerGas + transaction.row.value
}

function fundsMessage(balance: bigint, planned: Planned): string {
  const cost = costOf(planned)
  const gas = cost - planned.transaction.row.value
  return `the wallet has ${formatEther(balance)} and needs ${formatEther(cost)} of the chain’s coin, of which ${formatEther(gas)} may be spent on gas`
}

async function settled(
  simulation: Promise<Simulation>,
): Promise<Simulation | { error: unknown; outcome?: undefined }> {
  return simulation.catch((error: unknown) => ({ error }))
}
