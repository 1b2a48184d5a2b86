import type { JsonRpcProvider } from 'ethers'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import { ContractRefused } from './refusal.ts'

/** Wei per unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

export type Market = Fees & { baseFee: bigint }

/** Cache lifetime. Fees change per block, and no supported chain makes more than two blocks per second for long. */
const FRESH_MS = 1_000

/** Nodes require at least a tenth more for a replacement; an eighth stays above that after rounding. */
const RAISE_DIVISOR = 8n

/** Limits the price, in case a node keeps rejecting replacements. */
const MARKET_MULTIPLE_MAX = 10n

/**
 * Returns the gas limit of a write: a fifth above the estimate, since the state may change before it is mined.
 * @param estimate current requirement in gas
 * @throws {ContractRefused} `TooMuchGas` if the estimate exceeds `WRITE_GAS_MAX`
 */
export function gasLimitFor(estimate: bigint): bigint {
  if (estimate > WRITE_GAS_MAX)
    throw new ContractRefused('TooMuchGas', [String(estimate), String(WRITE_GAS_MAX)])
  const limit = (estimate * 12n) / 10n
  return limit < WRITE_GAS_MAX ? limit : WRITE_GAS_MAX
}

/** Current gas prices, fetched at most once a second. */
export class GasMarket {
  readonly #provider: JsonRpcProvider
  #latest: { market: Market; at: number } | undefined
  #asking: Promise<Market> | undefined

  constructor(provider: JsonRpcProvider) {
    this.#provider = provider
  }

  /** Returns fees with twice the base fee plus the tip: enough for six full blocks in a row. */
  async current(): Promise<Market> {
    if (this.#latest && performance.now() - this.#latest.at < FRESH_MS) return this.#latest.market
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async #ask(): Promise<Market> {
    const at = performance.now()
    const [block, tip] = await Promise.all([
      this.#provider.getBlock('latest'),
      this.#provider.send('eth_maxPriorityFeePerGas', []) as Promise<string>,
    ])
    if (block?.baseFeePerGas == null) throw new Error('the chain has no base fee (EIP-1559)')
    const baseFee = block.baseFeePerGas
    const maxPriorityFeePerGas = BigInt(tip)
    const maxFeePerGas = baseFee * 2n + maxPriorityFeePerGas
    const market = { baseFee, maxFeePerGas, maxPriorityFeePerGas }
    this.#latest = { market, at }
    return market
  }
}

/** Returns the fees of a replacement: at least the market price, and at least the increase that nodes require. */
export function raisedFees(before: Fees, market: Fees): Fees {
  const raised = (old: bigint, now: bigint) => {
    const least = old + old / RAISE_DIVISOR + 1n
    return least > now ? least : now
  }
  return {
    maxFeePerGas: raised(before.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raised(before.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  }
}

/** Returns whether a replacement's fees are still within a sensible multiple of the market price. */
export function isReasonable(fees: Fees, market: Fees): boolean {
  return fees.maxFeePerGas <= market.maxFeePerGas * MARKET_MULTIPLE_MAX
}
