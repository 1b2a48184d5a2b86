import type { JsonRpcApiProvider } from 'ethers'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import { ContractRevertError } from './contract-revert.ts'

/** Fees of a transaction, in wei per unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

export type MarketFees = Fees & { baseFee: bigint }

/** Fees change with each block, and no supported chain produces more than two blocks per second for long. */
const CACHE_MS = 1_000

/** Nodes require an increase of at least a tenth, and an eighth is enough even after rounding. */
const FEE_BUMP_DIVISOR = 8n

/** Maximum fees as a multiple of the market fees. Limits the cost if a node keeps rejecting replacements. */
const MARKET_MULTIPLE_MAX = 10n
/** Maximum fees on a chain without fees, so that transactions can be replaced there. */
const FREE_CHAIN_FEE_MAX = 1_000n

/**
 * Returns a gas limit a fifth above the estimate, because the state may change before the write is mined.
 * @throws {ContractRevertError} `TooMuchGas` if the estimate exceeds `WRITE_GAS_MAX`
 */
export function gasLimitFor(estimate: bigint): bigint {
  if (estimate > WRITE_GAS_MAX)
    throw new ContractRevertError('TooMuchGas', [String(estimate), String(WRITE_GAS_MAX)])
  const limit = (estimate * 12n) / 10n
  return limit < WRITE_GAS_MAX ? limit : WRITE_GAS_MAX
}

export class GasMarket {
  readonly #provider: JsonRpcApiProvider
  #latest: { market: MarketFees; at: number } | undefined
  #fetching: Promise<MarketFees> | undefined

  constructor(provider: JsonRpcApiProvider) {
    this.#provider = provider
  }

  /** The maximum fee is twice the base fee plus the tip, which is enough even if the next six blocks are full. */
  async current(): Promise<MarketFees> {
    if (this.#latest && performance.now() - this.#latest.at < CACHE_MS) return this.#latest.market
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #fetch(): Promise<MarketFees> {
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

/** At least the market price, and at least the increase that nodes require. */
export function bumpedFees(before: Fees, market: Fees): Fees {
  const raised = (old: bigint, now: bigint) => {
    const least = old + old / FEE_BUMP_DIVISOR + 1n
    return least > now ? least : now
  }
  return {
    maxFeePerGas: raised(before.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raised(before.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  }
}

export function isWithinFeeLimit(fees: Fees, market: Fees): boolean {
  const max = market.maxFeePerGas * MARKET_MULTIPLE_MAX
  return fees.maxFeePerGas <= (max === 0n ? FREE_CHAIN_FEE_MAX : max)
}
