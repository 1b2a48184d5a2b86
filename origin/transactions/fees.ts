import { toQuantity } from 'ethers'
import type { TransactionSpeed } from '../../shared/wire/transaction-states.ts'
import { bumpedFees, type Fees, isWithinFeeLimit } from '../accounts/writer/fees.ts'
import type { Rpc } from './simulation.ts'

export type { Fees } from '../accounts/writer/fees.ts'

export type Market = { baseFee: bigint; tips: Readonly<Record<TransactionSpeed, bigint>> }

/** Percentiles of the tips in recent blocks. */
const PERCENTILES: Readonly<Record<TransactionSpeed, number>> = { cheap: 20, normal: 50, fast: 80 }
const SPEEDS = Object.keys(PERCENTILES) as TransactionSpeed[]
const HISTORY_BLOCKS = 5

/** The history is read from one node, but the suggested tip from a quorum. */
const SUGGESTED_MULTIPLE_MAX = 10n

/** Maximum fee as percent of the base fee, without the tip. Twice the base fee lasts for six full blocks. */
const BASE_FEE_PERCENT: Readonly<Record<TransactionSpeed, bigint>> = {
  cheap: 125n,
  normal: 200n,
  fast: 200n,
}

/** Time after which an unmined transaction gets higher fees, if there were blocks in the meantime. */
export const BUMP_AFTER_MS: Readonly<Record<TransactionSpeed, number>> = {
  fast: 15_000,
  normal: 60_000,
  cheap: 600_000,
}

const CACHE_MS = 1_000

type FeeMarketOptions = {
  provider: Rpc
  /** Returns the base fee of the latest block. */
  baseFee: () => Promise<bigint>
  monotonic: () => number
}

/** Fees that transactions currently pay on a chain. */
export class FeeMarket {
  readonly #options: FeeMarketOptions
  #latest: { tips: Market['tips']; at: number } | undefined
  #fetching: Promise<Market['tips']> | undefined

  constructor(options: FeeMarketOptions) {
    this.#options = options
  }

  /** @throws if the nodes do not respond, or the chain has no base fee */
  async current(): Promise<Market> {
    const [baseFee, tips] = await Promise.all([this.#options.baseFee(), this.#tips()])
    return { baseFee, tips }
  }

  async #tips(): Promise<Market['tips']> {
    const { monotonic } = this.#options
    if (this.#latest && monotonic() - this.#latest.at < CACHE_MS) return this.#latest.tips
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #fetch(): Promise<Market['tips']> {
    const { provider, monotonic } = this.#options
    const at = monotonic()
    const percentiles = SPEEDS.map((speed) => PERCENTILES[speed])
    const [history, suggestion] = await Promise.all([
      provider
        .send('eth_feeHistory', [toQuantity(HISTORY_BLOCKS), 'latest', percentiles])
        .catch(() => undefined),
      provider.send('eth_maxPriorityFeePerGas', []),
    ])
    const tips = tipsOf(history, BigInt(suggestion))
    this.#latest = { tips, at }
    return tips
  }
}

/** Blocks without transactions have tips of zero, and are ignored. */
function tipsOf(history: unknown, suggested: bigint): Market['tips'] {
  const rewards = (history as { reward?: unknown } | undefined)?.reward
  const blocks = Array.isArray(rewards) ? (rewards as unknown[][]) : []
  const tips = SPEEDS.map((speed, index) => {
    const paid = blocks
      .flatMap((block) => (Array.isArray(block) ? [amountOf(block[index])] : []))
      .filter((tip) => tip > 0n)
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const median = paid[Math.floor(paid.length / 2)] ?? suggested
    const most = suggested * SUGGESTED_MULTIPLE_MAX
    return [speed, median < most ? median : most] as const
  })
  return Object.fromEntries(tips) as Record<TransactionSpeed, bigint>
}

function amountOf(quantity: unknown): bigint {
  return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? BigInt(quantity) : 0n
}

/** Returns the fees for a speed. */
export function marketFees({ baseFee, tips }: Market, speed: TransactionSpeed): Fees {
  const maxPriorityFeePerGas = tips[speed]
  const maxFeePerGas = (baseFee * BASE_FEE_PERCENT[speed]) / 100n + maxPriorityFeePerGas
  return { maxFeePerGas, maxPriorityFeePerGas }
}

export function feesOf({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** @param ceiling highest `maxFeePerGas`, or undefined */
export function clampFees(fees: Fees, ceiling: bigint | undefined): Fees {
  const maxFeePerGas =
    ceiling !== undefined && ceiling < fees.maxFeePerGas ? ceiling : fees.maxFeePerGas
  const { maxPriorityFeePerGas: tip } = fees
  return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
}

/**
 * Returns the fees of an attempt that replaces another one.
 * @param wanted fees that it should have at least
 * @returns undefined if the ceiling, or ten times the market's fees, does not allow the increase that nodes require
 */
export function replacementFees(
  before: Fees,
  wanted: Fees,
  ceiling: bigint | undefined,
  market = wanted,
): Fees | undefined {
  const bumped = clampFees(bumpedFees(before, wanted), ceiling)
  const least = bumpedFees(before, before)
  const isEnough =
    bumped.maxFeePerGas >= least.maxFeePerGas &&
    bumped.maxPriorityFeePerGas >= least.maxPriorityFeePerGas
  return isEnough && isWithinFeeLimit(bumped, market) ? bumped : undefined
}

/**
 * Returns the fees of a cancellation. It achieves nothing that its owner would pay more for than necessary: what nodes
 * require to replace the transaction, and what the next blocks require.
 * @returns undefined like `replacementFees`
 */
export function cancellationFees(
  before: Fees,
  market: Market,
  speed: TransactionSpeed,
): Fees | undefined {
  const maxPriorityFeePerGas = market.tips[speed]
  const maxFeePerGas = (market.baseFee * BASE_FEE_PERCENT.cheap) / 100n + maxPriorityFeePerGas
  const wanted = { maxFeePerGas, maxPriorityFeePerGas }
  return replacementFees(before, wanted, undefined, marketFees(market, speed))
}
