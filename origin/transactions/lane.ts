import type { WaitingReason } from '../../shared/wire/transaction-states.ts'
import { errorTrace } from '../log.ts'
import { Broadcaster } from './broadcaster.ts'
import type { HeadChange } from './head-tracker.ts'
import type { LaneContext } from './lane-context.ts'
import type { LaneId } from './lane-leases.ts'
import { LaneState } from './lane-state.ts'
import { NonceGaps } from './nonce-gaps.ts'
import { QueueSender } from './queue-sender.ts'
import { Replacements } from './replacements.ts'
import { Settlement } from './settlement.ts'
import type { RequestedChange } from './store.ts'
import type { TransactionRow } from './transaction-record.ts'
import { UsedNonces } from './used-nonces.ts'

/** Delay before the steps of a lane are repeated after one has failed. It doubles up to the maximum. */
const FAILED_MIN_MS = 250
const FAILED_MAX_MS = 5_000

/**
 * Sends the transactions of one wallet on one chain, in their order, and follows them until they have ended. Only the
 * process that holds the lane's lease has an instance. The steps run one after another. Invariants:
 *
 * - An attempt is recorded before its bytes are sent.
 * - A transaction gets another nonce only if its nonce was used in a final block by another transaction.
 */
export class Lane {
  readonly id: LaneId
  readonly #state: LaneState
  readonly #settlement: Settlement
  readonly #usedNonces: UsedNonces
  readonly #replacements: Replacements
  readonly #queue: QueueSender
  readonly #gaps: NonceGaps
  readonly #broadcaster: Broadcaster
  #isWoken = false
  #running: Promise<void> | undefined
  #failures = 0
  #retry: NodeJS.Timeout | undefined

  constructor(id: LaneId, context: LaneContext) {
    this.id = id
    const state = new LaneState(id, context, () => this.wake())
    this.#state = state
    this.#broadcaster = new Broadcaster(state)
    this.#settlement = new Settlement(state)
    this.#usedNonces = new UsedNonces(state)
    this.#replacements = new Replacements(state, this.#broadcaster)
    this.#queue = new QueueSender(state, this.#broadcaster)
    this.#gaps = new NonceGaps(state)
  }

  /** Number of transactions that have not ended. Undefined until they were read. */
  get openCount(): number | undefined {
    return this.#state.openCount
  }

  /** True if the balance was below the threshold of the account when it was last read. */
  get isLow(): boolean {
    return this.#state.account.isLow
  }

  /** What unmined transactions wait for, and since when, in Unix milliseconds. */
  *waiting(): Generator<{ reason: WaitingReason | null; since: number }> {
    for (const { progress, waitsSince, isMined } of this.#state.all())
      if (!isMined) yield { reason: progress.waitingFor, since: waitsSince }
  }

  get hasUnmined(): boolean {
    for (const { isMined, progress } of this.#state.all())
      if (!isMined && !progress.hasEnded && progress.state !== 'queued') return true
    return false
  }

  get hasMined(): boolean {
    for (const { isMined } of this.#state.all()) if (isMined) return true
    return false
  }

  /** Milliseconds since the lane last had an open transaction. */
  get idleMs(): number {
    const { openCount, usedAt, context } = this.#state
    return openCount === 0 ? context.monotonic() - usedAt : 0
  }

  /** Adds a row that this process has inserted, or applies a request in it to cancel or speed up. */
  apply(row: TransactionRow): void {
    this.#state.apply(row)
    this.wake()
  }

  /**
   * Applies a request to cancel or speed up, or starts another round for a queued transaction.
   * @returns false if the transaction is not known
   */
  applyChange(id: string, change: RequestedChange): boolean {
    const isKnown = this.#state.applyChange(id, change)
    if (isKnown) this.wake()
    return isKnown
  }

  /** @param included hashes of the transactions in the head */
  onHead(change: HeadChange, included: ReadonlySet<string>): void {
    if (this.#state.isEmpty) return
    this.#settlement.onHead(change, included)
    this.wake()
  }

  /** Checks deadlines. */
  tick(): void {
    if (!this.#state.isEmpty || this.#state.needsLoad) this.wake()
  }

  wake(): void {
    if (this.#state.isClosed) return
    this.#isWoken = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isWoken && this.#retry === undefined) this.wake()
    })
  }

  async close(): Promise<void> {
    this.#state.isClosed = true
    clearTimeout(this.#retry)
    await this.#running
    await this.#broadcaster.settled()
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#state.isClosed) {
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

  async #advance(): Promise<void> {
    const state = this.#state
    while (state.needsLoad && !state.isClosed) await state.load()
    state.saveDirty()
    if (state.isEmpty) return
    await this.#settlement.advance()
    await this.#usedNonces.check()
    await this.#replacements.make()
    await this.#queue.send()
    await this.#gaps.close()
    await this.#broadcaster.resend()
    state.context.heads.follow()
  }

  #fail(error: unknown): void {
    const { context, isClosed } = this.#state
    if (isClosed) return
    const facts = { ...this.#state.facts(), cause: errorTrace(error) }
    if (this.#failures === 0) context.log('transactions.unavailable', facts)
    for (const transaction of this.#state.queue()) this.#state.wait(transaction, 'chain')
    const delay = Math.min(FAILED_MAX_MS, FAILED_MIN_MS * 2 ** this.#failures++)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.wake()
    }, delay)
  }
}
