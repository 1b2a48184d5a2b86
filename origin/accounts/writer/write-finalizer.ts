import type { JsonRpcApiProvider } from 'ethers'
import { type GasMarket, isWithinFeeLimit, type MarketFees, bumpedFees } from './fees.ts'
import type { GasPayer } from './gas-payer.ts'
import { LiveWrite } from './live-write.ts'
import type { WriteOutbox } from './write-outbox.ts'
import { findReceipt } from './receipt-poller.ts'

/** Interval at which pending transactions are resent, in case the node has dropped them. */
const RESEND_MS = 1_000

/** Nodes keep at least this many per wallet. Later transactions are resent once the earlier ones are mined. */
const RESEND_MAX = 16

/**
 * Time after which a transaction with a tip below the market's is replaced, and also the payer's next transaction if
 * blocks are mined without it. Longer than the time between two blocks on any chain.
 */
export const REPLACE_AFTER_MS = 15_000

/** One check is not enough, because its response may come from a lagging node. */
const CHECKS_UNTIL_LOST = 2

type WriteFinalizerOptions = {
  provider: JsonRpcApiProvider
  outbox: WriteOutbox
  market: GasMarket
  finality: number
  replaceAfterMs: number
  onMined: (write: LiveWrite) => void
}

/**
 * Ensures that sent transactions reach final blocks, even if a node drops a transaction or never mines it, its fees are
 * too low, its nonce is used by another transaction, or its block is reorganized away. A write gets a new nonce only if
 * the old one is used in a final block and none of the write's transactions is mined, so it never takes effect twice.
 */
export class WriteFinalizer {
  readonly #options: WriteFinalizerOptions

  constructor(options: WriteFinalizerOptions) {
    this.#options = options
  }

  /** @throws if the chain or database does not respond */
  async advance(payer: GasPayer): Promise<void> {
    await payer.reload()
    if (payer.live.size === 0) return
    const { provider, finality, market } = this.#options
    const head = await provider.getBlockNumber()
    const finalBlock = head - finality
    const [finalCount, fees] = await Promise.all([
      provider.getTransactionCount(payer.address, Math.max(0, finalBlock)),
      market.current(),
      payer.refresh(),
    ])
    await this.#checkMined(payer, finalBlock)
    await this.#reopenLostWrites(payer)
    const sent = payer.sent.toSorted((one, other) => one.nonce - other.nonce)
    const count = payer.count ?? 0
    for (const write of sent.filter(({ nonce }) => nonce < count))
      await this.#checkUsedNonce(payer, write, finalCount, fees)
    const pending = sent.filter(({ nonce }) => nonce >= count).slice(0, RESEND_MAX)
    const [next] = pending
    if (next?.nonce === count) next.nextSince ??= { at: performance.now(), block: head }
    const stuck = next && this.#isStuck(next, head) ? next : undefined
    await Promise.all(
      pending.map((write) => this.#rebroadcast(payer, write, fees, write === stuck)),
    )
  }

  /**
   * Returns true if the node mines blocks without the payer's next transaction. Nodes may keep a transaction without
   * considering it for a block: anvil, if the transaction arrives while its predecessor is mined; others, if they do not
   * pass it on. Such a node rejects the same bytes as already known, but accepts a replacement. While the chain halts,
   * a replacement would not help.
   */
  #isStuck({ nextSince }: LiveWrite, head: number): boolean {
    if (!nextSince || head <= nextSince.block) return false
    return performance.now() - nextSince.at > this.#options.replaceAfterMs
  }

  async #checkMined(payer: GasPayer, finalBlock: number): Promise<void> {
    const { provider, outbox } = this.#options
    const mined = [...payer.live.values()].filter((write) => write.receipt)
    const numbers = [...new Set(mined.map((write) => write.receipt!.blockNumber))]
    const blocks = await Promise.all(numbers.map((number) => provider.getBlock(number)))
    const hashes = new Map(numbers.map((number, index) => [number, blocks[index]?.hash]))
    for (const write of mined) {
      const { writeId, receipt } = write
      if (!receipt) continue
      const { blockNumber, blockHash } = receipt
      if (hashes.get(blockNumber) !== blockHash) await this.#handleReorganized(write)
      else if (blockNumber <= finalBlock) {
        await outbox.markFinal(writeId, receipt)
        payer.live.delete(writeId)
      }
    }
  }

  /** The write may be in the new block, in a later one, or unmined. */
  async #handleReorganized(write: LiveWrite): Promise<void> {
    const { provider, outbox, onMined } = this.#options
    const found = await findReceipt(provider, write.hashes)
    if (found === 'unclear') return
    write.receipt = found
    if (write.receipt) onMined(write)
    else await outbox.markUnmined(write.writeId)
    write.notifyChanged()
  }

  /**
   * Reopens final writes if the chain expects a nonce that no live write has. In that case, the chain has lost blocks
   * that were considered final.
   */
  async #reopenLostWrites(payer: GasPayer): Promise<void> {
    const count = payer.count ?? 0
    const nonces = [...payer.live.values()].map(({ nonce }) => nonce)
    const gap = nonces.some((nonce) => nonce > count) && !nonces.includes(count)
    payer.nonceGapChecks = gap ? payer.nonceGapChecks + 1 : 0
    if (payer.nonceGapChecks < CHECKS_UNTIL_LOST) return
    for (const row of await this.#options.outbox.reopenFinal(payer.number, count))
      payer.live.set(row.writeId, LiveWrite.fromRow(row))
  }

  async #checkUsedNonce(
    payer: GasPayer,
    write: LiveWrite,
    finalCount: number,
    fees: MarketFees,
  ): Promise<void> {
    const receipt = await findReceipt(this.#options.provider, write.hashes)
    if (write.receipt || receipt === 'unclear') return
    if (receipt) {
      write.receipt = receipt
      write.notifyChanged()
      this.#options.onMined(write)
      return
    }
    write.nonceUsedChecks = write.nonce < finalCount ? write.nonceUsedChecks + 1 : 0
    if (write.nonceUsedChecks >= CHECKS_UNTIL_LOST)
      await payer.replaceTransaction(write, fees, 'nonce')
  }

  async #rebroadcast(
    payer: GasPayer,
    write: LiveWrite,
    market: MarketFees,
    isStuck: boolean,
  ): Promise<void> {
    const now = performance.now()
    const { maxFeePerGas, maxPriorityFeePerGas } = write.current
    const fees = {
      maxFeePerGas: maxFeePerGas ?? 0n,
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
    }
    const cheap =
      write.isUnderpriced ||
      fees.maxFeePerGas < market.baseFee ||
      (now - write.signedAt > this.#options.replaceAfterMs &&
        fees.maxPriorityFeePerGas < market.maxPriorityFeePerGas)
    const raised = bumpedFees(fees, market)
    if ((cheap || isStuck) && isWithinFeeLimit(raised, market))
      await payer.replaceTransaction(write, raised, 'fees')
    else if (now - write.sentAt > RESEND_MS) await payer.broadcast(write)
  }
}
