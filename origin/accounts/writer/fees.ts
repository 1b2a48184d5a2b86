import type { JsonRpcProvider } from 'ethers'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import { ContractRefused } from './refusal.ts'

/** Wei a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

export type Market = Fees & { baseFee: bigint }

/** Fees change from block to block, and no chain of ours makes blocks faster than twice a second for long. */
const FRESH_MS = 1_000

/** Nodes take a replacement whose fees are a tenth higher; an eighth is over it after rounding. */
const RAISE_DIVISOR = 8n

/** A node that refuses one replacement after the other must not talk us into paying any price. */
const MARKET_MULTIPLE_MAX = 10n

/**
 * The gas limit of a write: a fifth above the estimate, as the state may be another when it is mined.
 * @param estimate what it needs now, in gas
 * @throws {ContractRefused} `TooMuchGas` where no block or no payer should have it
 */
export function gasLimitFor(estimate: bigint): bigint {
  if (estimate > WRITE_GAS_MAX)
    throw new ContractRefused('TooMuchGas', [String(estimate), String(WRITE_GAS_MAX)])
  const limit = (estimate * 12n) / 10n
  return limit < WRITE_GAS_MAX ? limit : WRITE_GAS_MAX
}

/** What the chain asks for gas, looked up at most once a second. */
export class GasMarket {
  readonly #provider: JsonRpcProvider
  #latest: { market: Market; at: number } | undefined
  #asking: Promise<Market> | undefined

  constructor(provider: JsonRpcProvider) {
    this.#provider = provider
  }

  /** Twice the base fee and the tip: enough for six full blocks in a row. */
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

/** The fees of a replacement: those of the market, and higher than before by what nodes ask of one. */
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

/** True while a replacement is a price that somebody pays. */
export function isReasonable(fees: Fees, market: Fees): boolean {
  return fees.maxFeePerGas <= market.maxFeePerGas * MARKET_MULTIPLE_MAX
}
