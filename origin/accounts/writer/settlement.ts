import type { JsonRpcProvider } from 'ethers'
import { type GasMarket, isReasonable, type Market, raisedFees } from './fees.ts'
import type { Lane } from './lane.ts'
import { LiveWrite } from './live-write.ts'
import type { Outbox } from './outbox.ts'
import { findReceipt } from './receipts.ts'

/** A node that took a transaction and then forgot it gets it again after this. */
const RESEND_MS = 1_000

/** Nodes keep at least this many waiting transactions of one wallet; those behind them come when these are mined. */
const RESENT_MAX = 16

/** A transaction whose tip is below the market's is given a better one after this: some blocks on every chain. */
const RAISE_TIP_AFTER_MS = 15_000

/** What looks like a lost transaction is looked at twice: one answer may be of a node that is behind. */
const LOOKS = 2

export type SettlementOptions = {
  provider: JsonRpcProvider
  outbox: Outbox
  market: GasMarket
  /** Blocks after which a block is not given up by the chain any more. */
  finality: number
  onMined: (write: LiveWrite) => void
}

/**
 * Brings what was sent into final blocks, whatever happened to it: dropped by a node, too cheap, its nonce taken
 * by somebody else, its block gone. A write gets another nonce only when its first is used up in a final block
 * and none of its transactions is in one, so that it never has two effects.
 */
export class Settlement {
  readonly #options: SettlementOptions

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** One look at what a payer has under way. @throws where chain or database do not answer */
  async settle(lane: Lane): Promise<void> {
    await lane.recall()
    if (lane.live.size === 0) return
    const { provider, finality, market } = this.#options
    const head = await provider.getBlockNumber()
    const finalBlock = head - finality
    const [finalCount, fees] = await Promise.all([
      provider.getTransactionCount(lane.address, Math.max(0, finalBlock)),
      market.current(),
      lane.look(),
    ])
    await this.#followMined(lane, finalBlock)
    await this.#resume(lane)
    const sent = lane.sent.toSorted((one, other) => one.nonce - other.nonce)
    const count = lane.count ?? 0
    for (const write of sent.filter(({ nonce }) => nonce < count))
      await this.#settleUsed(lane, write, finalCount, fees)
    const pending = sent.filter(({ nonce }) => nonce >= count).slice(0, RESENT_MAX)
    await Promise.all(pending.map((write) => this.#push(lane, write, fees)))
  }

  /** What was in a block: still there, and deep enough to be done with? */
  async #followMined(lane: Lane, finalBlock: number): Promise<void> {
    const { provider, outbox } = this.#options
    const mined = [...lane.live.values()].filter((write) => write.receipt)
    const numbers = [...new Set(mined.map((write) => write.receipt!.blockNumber))]
    const blocks = await Promise.all(numbers.map((number) => provider.getBlock(number)))
    const hashes = new Map(numbers.map((number, index) => [number, blocks[index]?.hash]))
    for (const write of mined) {
      const { writeId, receipt } = write
      if (!receipt) continue
      const { blockNumber, blockHash, hash } = receipt
      if (hashes.get(blockNumber) !== blockHash) await this.#moved(write)
      else if (blockNumber <= finalBlock) {
        await outbox.final(writeId, { minedHash: hash, minedBlock: blockNumber })
        lane.live.delete(writeId)
      }
    }
  }

  /** The chain has another block there: the write may be in that one, in a later one, or in none. */
  async #moved(write: LiveWrite): Promise<void> {
    const { provider, outbox, onMined } = this.#options
    write.receipt = await findReceipt(provider, write.hashes)
    if (write.receipt) onMined(write)
    else await outbox.unmined(write.writeId)
    write.changed()
  }

  /** The chain waits for a nonce that no write of ours has: it has lost blocks that were taken for final. */
  async #resume(lane: Lane): Promise<void> {
    const count = lane.count ?? 0
    const nonces = [...lane.live.values()].map(({ nonce }) => nonce)
    const gap = nonces.some((nonce) => nonce > count) && !nonces.includes(count)
    lane.looksAtGap = gap ? lane.looksAtGap + 1 : 0
    if (lane.looksAtGap < LOOKS) return
    for (const row of await this.#options.outbox.revive(lane.number, count))
      lane.live.set(row.writeId, LiveWrite.fromRow(row))
  }

  /** Its nonce is used: by one of its own transactions, or by somebody else's. */
  async #settleUsed(lane: Lane, write: LiveWrite, finalCount: number, fees: Market): Promise<void> {
    const receipt = await findReceipt(this.#options.provider, write.hashes)
    if (write.receipt) return
    if (receipt) {
      write.receipt = receipt
      write.changed()
      this.#options.onMined(write)
      return
    }
    write.looksWithoutNonce = write.nonce < finalCount ? write.looksWithoutNonce + 1 : 0
    if (write.looksWithoutNonce >= LOOKS) await lane.resign(write, fees, 'nonce')
  }

  async #push(lane: Lane, write: LiveWrite, market: Market): Promise<void> {
    const now = performance.now()
    const { maxFeePerGas, maxPriorityFeePerGas } = write.current
    const fees = {
      maxFeePerGas: maxFeePerGas ?? 0n,
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
    }
    const cheap =
      write.underpriced ||
      fees.maxFeePerGas < market.baseFee ||
      (now - write.signedAt > RAISE_TIP_AFTER_MS &&
        fees.maxPriorityFeePerGas < market.maxPriorityFeePerGas)
    const raised = raisedFees(fees, market)
    if (cheap && isReasonable(raised, market)) await lane.resign(write, raised, 'fees')
    else if (now - write.sentAt > RESEND_MS) await lane.broadcast(write)
  }
}
