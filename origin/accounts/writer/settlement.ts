import type { JsonRpcProvider } from 'ethers'
import { type GasMarket, isReasonable, type Market, raisedFees } from './fees.ts'
import type { Lane } from './lane.ts'
import { LiveWrite } from './live-write.ts'
import type { Outbox } from './outbox.ts'
import { findReceipt } from './receipts.ts'

/** Pending transactions are resent after this time, in case the node dropped them. */
const RESEND_MS = 1_000

/**
 * Pending transactions to resend per payer. Nodes keep at least this many per wallet. Later ones are resent once these
 * are mined.
 */
const RESENT_MAX = 16

/** A transaction with a tip below the market's is replaced after this time, which is several blocks on any chain. */
const RAISE_TIP_AFTER_MS = 15_000

/** Consecutive checks after which a transaction counts as lost. A single response may come from a lagging node. */
const LOOKS = 2

export type SettlementOptions = {
  provider: JsonRpcProvider
  outbox: Outbox
  market: GasMarket
  /** Later blocks that make a block final. */
  finality: number
  onMined: (write: LiveWrite) => void
}

/**
 * Gets sent transactions into final blocks, even if a node drops a transaction, its fees are too low, its nonce is used
 * by another transaction, or its block is reorganized away. A write gets a new nonce only if the old one is used in a
 * final block and none of the write's transactions is mined, so it never takes effect twice.
 */
export class Settlement {
  readonly #options: SettlementOptions

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** @throws if the chain or database does not respond */
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

  /** Checks that mined writes are still canonical, and marks final ones. */
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

  /** A reorganization removed the write's block. The write may be in the new block, in a later one, or unmined. */
  async #moved(write: LiveWrite): Promise<void> {
    const { provider, outbox, onMined } = this.#options
    write.receipt = await findReceipt(provider, write.hashes)
    if (write.receipt) onMined(write)
    else await outbox.unmined(write.writeId)
    write.changed()
  }

  /**
   * Restores final writes if the chain expects a nonce that no live write has: it has lost blocks that were considered
   * final.
   */
  async #resume(lane: Lane): Promise<void> {
    const count = lane.count ?? 0
    const nonces = [...lane.live.values()].map(({ nonce }) => nonce)
    const gap = nonces.some((nonce) => nonce > count) && !nonces.includes(count)
    lane.looksAtGap = gap ? lane.looksAtGap + 1 : 0
    if (lane.looksAtGap < LOOKS) return
    for (const row of await this.#options.outbox.revive(lane.number, count))
      lane.live.set(row.writeId, LiveWrite.fromRow(row))
  }

  /** The nonce is used on the chain, by one of the write's own transactions or by another one. */
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
