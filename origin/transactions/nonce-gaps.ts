import { TRANSACTIONS_IN_FLIGHT_MAX } from '../../shared/limits.ts'
import { clampFees, marketFees } from './fees.ts'
import { signFiller } from './gap-filler.ts'
import {
  CHECK_MS,
  CHECKS_UNTIL_LOST,
  CHECKS_WITHOUT_EVIDENCE,
  HEAD_MAX_AGE_MS,
  REFUSED_MS,
  TRANSFER_GAS,
} from './lane-context.ts'
import type { LaneState } from './lane-state.ts'

/**
 * Closes gaps between nonces, because no transaction above a gap can be mined. A gap remains if a reorganization has
 * removed a transaction from elsewhere, and no queued transaction has taken its nonce.
 */
export class NonceGaps {
  readonly #lane: LaneState
  #checks = 0
  #checkAfter = Number.NEGATIVE_INFINITY

  constructor(lane: LaneState) {
    this.#lane = lane
  }

  /** @throws if the nodes, the database or the signer do not respond */
  async close(): Promise<void> {
    const lane = this.#lane
    const { heads, monotonic, store, log } = lane.context
    const unmined = lane.unmined()
    const last = unmined.at(-1)
    const gaps = last ? this.#below(last.nonce) : []
    if (gaps.length === 0) {
      this.#checks = 0
      for (const transaction of unmined)
        if (transaction.progress.waitingFor === 'order') lane.wait(transaction, null)
      return
    }
    const at = monotonic()
    if (at < this.#checkAfter) return
    this.#checkAfter = at + CHECK_MS
    if (++this.#checks < CHECKS_UNTIL_LOST) {
      lane.needsCount = true
      return
    }
    // A node that lags does not have this block.
    const head = await heads.current(HEAD_MAX_AGE_MS)
    const count = await lane.account.readCount(head.number)
    const lost = gaps.filter((nonce) => nonce >= count)
    if (lost.length === 0) return lane.account.forget()
    // The chain has lost blocks that were final.
    const ended = lost.filter((nonce) => nonce <= lane.lastEndedNonce)
    if (ended.length > 0 && this.#checks < CHECKS_WITHOUT_EVIDENCE) return
    this.#checks = 0
    const reopened = ended.length === 0 ? 0 : await store.reopen(lane.id, ended)
    if (reopened > 0) log('transactions.reopened', { ...lane.facts(), transactions: reopened })
    else
      for (const nonce of lost)
        if (!(await this.#fill(nonce))) {
          this.#checkAfter = at + REFUSED_MS
          break
        }
    lane.needsLoad = true
    lane.wake()
  }

  #below(highest: number): number[] {
    const taken = this.#lane.takenNonces()
    const gaps: number[] = []
    const first = this.#lane.account.count ?? highest
    for (let nonce = first; nonce < highest && gaps.length < TRANSACTIONS_IN_FLIGHT_MAX; nonce++)
      if (!taken.has(nonce)) gaps.push(nonce)
    return gaps
  }

  /**
   * Sends an empty transaction to the wallet itself, in the name of a transaction that waits above the gap.
   * @returns false if it was refused
   */
  async #fill(nonce: number): Promise<boolean> {
    const lane = this.#lane
    const { market, store, newId, log, onLost } = lane.context
    const id = newId()
    const fast = marketFees(await market.current(), 'fast')
    const made = await signFiller(lane, { nonce, id }, (ceiling) => clampFees(fast, ceiling))
    if (!made) return false
    if ('refused' in made.result) {
      lane.wait(made.above, 'order', made.result.refused.message)
      return false
    }
    const { hash, raw } = made.result.signed
    const { accountHash, pkpId, keyHash, actionCid } = made.above.row
    const inserted = await store.insertSigned(
      {
        id,
        ...lane.id,
        accountHash,
        pkpId,
        keyHash,
        actionCid,
        to: lane.id.address,
        data: '0x',
        value: 0n,
        requestHash: '',
        gasLimit: TRANSFER_GAS,
        speed: 'fast',
        errors: [],
      },
      { hash, transactionId: id, kind: 'cancel', nonce, raw, ...made.fees },
    )
    if (inserted === 'lane_lost') onLost()
    if (inserted === 'recorded') log('transactions.gap_filled', { ...lane.facts(), id })
    return true
  }
}
