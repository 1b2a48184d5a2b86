import type { LaneState } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'
import { broadcastFailure } from './rpc-failure.ts'

/** Delay before bytes are sent again if no node has accepted them. It grows with the age of the attempt. */
const RESEND_MIN_MS = 500
const RESEND_MAX_MS = 4_000

/** Interval at which the pool of the nodes is compared with the transactions that they accepted. */
const POOL_CHECK_MS = 2_000

/** Nodes keep at least this many per wallet. Later transactions are sent again once the earlier ones are mined. */
const RESEND_COUNT_MAX = 16

/** Sends recorded attempts to the nodes. */
export class Broadcaster {
  readonly #lane: LaneState
  #poolCheckedAt = Number.NEGATIVE_INFINITY
  #sending: Promise<unknown> = Promise.resolve()

  constructor(lane: LaneState) {
    this.#lane = lane
  }

  /** Sends the latest attempts, without waiting for the responses. */
  send(transactions: readonly LiveTransaction[]): void {
    if (this.#lane.isClosed) return
    const sends = transactions.map((transaction) => this.#send(transaction))
    this.#sending = Promise.all([this.#sending, ...sends])
  }

  /** Waits for the responses to all attempts. */
  async settled(): Promise<void> {
    await this.#sending
  }

  /**
   * Sends attempts again that no node has accepted, or that the nodes have dropped.
   * @throws if the nodes do not respond
   */
  async resend(): Promise<void> {
    const lane = this.#lane
    const at = lane.context.monotonic()
    const next = lane
      .unmined()
      .filter(({ progress }) => progress.waitingFor !== 'nonce')
      .slice(0, RESEND_COUNT_MAX)
    const due = next.filter(({ isAccepted, resendAt }) => !isAccepted && resendAt <= at)
    const accepted = next.filter(
      ({ isAccepted, sentAt }) => isAccepted && at - sentAt > POOL_CHECK_MS,
    )
    if (accepted.length > 0 && at - this.#poolCheckedAt > POOL_CHECK_MS) {
      this.#poolCheckedAt = at
      const pending = await lane.account.readCount('pending')
      due.push(...accepted.filter(({ nonce }) => nonce >= pending))
    }
    this.send(due)
  }

  async #send(transaction: LiveTransaction): Promise<void> {
    const lane = this.#lane
    const { chain, monotonic } = lane.context
    const attempt = transaction.latest
    const age = monotonic() - transaction.signedAt
    transaction.sentAt = monotonic()
    const delay = Math.min(RESEND_MAX_MS, Math.max(RESEND_MIN_MS, age))
    transaction.resendAt = transaction.sentAt + delay
    const outcome = await chain.provider
      .send('eth_sendRawTransaction', [attempt.raw])
      .then(() => 'accepted' as const, broadcastFailure)
    if (transaction.latest !== attempt || !transaction.isUnmined) return
    switch (outcome) {
      case 'accepted':
        transaction.isAccepted = true
        if (transaction.progress.waitingFor === 'funds') lane.wait(transaction, null)
        if (transaction.progress.state !== 'signed') return
        transaction.progress = { ...transaction.progress, state: 'broadcast' }
        return lane.save(transaction)
      case 'underpriced':
        transaction.isUnderpriced = true
        return lane.wake()
      case 'nonce_used':
        lane.needsCount = true
        return lane.wake()
      case 'unaffordable':
        return lane.wait(transaction, 'funds')
      case 'unknown':
        return
    }
  }
}
