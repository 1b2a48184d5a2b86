import { findByNonce, type MinedTransaction } from './foreign-transaction.ts'
import {
  CHECK_MS,
  CHECKS_UNTIL_LOST,
  CHECKS_WITHOUT_EVIDENCE,
  HEAD_MAX_AGE_MS,
} from './lane-context.ts'
import type { LaneState } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'

/**
 * Decides about transactions whose nonces were used by transactions from elsewhere. Another nonce is safe only once none
 * of the attempts can be mined any more: the nonce was used in a final block, by a transaction that is not one of them.
 */
export class UsedNonces {
  readonly #lane: LaneState
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(lane: LaneState) {
    this.#lane = lane
  }

  /** @throws if the nodes do not respond */
  async check(): Promise<void> {
    const lane = this.#lane
    const { heads, chain, monotonic } = lane.context
    const count = lane.account.count ?? 0
    const unmined = lane.unmined()
    for (const transaction of unmined)
      if (transaction.nonce >= count && transaction.progress.waitingFor === 'nonce') {
        // A reorganization has removed the block in which the nonce was used.
        transaction.foreignChecks = 0
        lane.wait(transaction, null)
      }
    const used = unmined.filter(({ nonce, needsReceipt }) => nonce < count && !needsReceipt)
    const at = monotonic()
    if (used.length === 0 || at - this.#checkedAt < CHECK_MS) return
    this.#checkedAt = at
    const head = await heads.current(HEAD_MAX_AGE_MS)
    const finalBlock = head.number - chain.finality
    const finalCount = finalBlock < 0 ? 0 : await lane.account.readCount(finalBlock)
    for (const transaction of used) {
      const isFinal = transaction.nonce < finalCount
      transaction.foreignChecks = isFinal ? transaction.foreignChecks + 1 : 0
      lane.wait(transaction, 'nonce')
      if (transaction.foreignChecks >= CHECKS_UNTIL_LOST)
        await this.#resolve(transaction, finalBlock)
      else transaction.needsReceipt = true
    }
  }

  async #resolve(transaction: LiveTransaction, finalBlock: number): Promise<void> {
    const lane = this.#lane
    const { chain, log } = lane.context
    const { address } = lane.id
    const found = await findByNonce(chain.provider, address, transaction.nonce, finalBlock)
    if (found && transaction.attempts.some(({ hash }) => hash === found.hash)) {
      // The nodes that did not have its receipt lag.
      transaction.needsReceipt = true
      transaction.foreignChecks = 0
    } else if (found && isReplacement(found, transaction)) {
      transaction.setReplaced(found.hash)
      lane.save(transaction)
    } else if (found || transaction.foreignChecks >= CHECKS_WITHOUT_EVIDENCE) {
      log('transactions.foreign_nonce', { ...lane.facts(), id: transaction.id, nonces: 1 })
      transaction.needsNonce = true
      lane.blockedAt = undefined
    }
  }
}

/** True if the owner of the wallet has sent the same transaction elsewhere, or has cancelled it as wallets do. */
function isReplacement(found: MinedTransaction, transaction: LiveTransaction): boolean {
  const { to, value, data, address } = transaction.row
  const isSame =
    found.to === to.toLowerCase() && found.value === value && found.data === data.toLowerCase()
  const isEmpty = found.to === address && found.value === 0n && found.data === '0x'
  return isSame || isEmpty || transaction.isCancelling
}
