import { randomUUID } from 'node:crypto'
import { formatEther, type JsonRpcProvider } from 'ethers'
import type { Log } from '../../log.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import type { GasMarket } from './fees.ts'
import type { Lane } from './lane.ts'

/**
 * A payer is topped up when it can not pay this many of the largest writes, and then can pay the second: some 500 and
 * 2,000 usual ones.
 */
const LOW_WRITES = 6n
const FULL_WRITES = 24n

export type FundingOptions = {
  provider: JsonRpcProvider
  market: GasMarket
  /** Numbers and addresses of the payers that are kept funded. */
  payers: readonly { number: number; address: string }[]
  log: Log
}

/** Keeps the payers in gas, from the admin payer; done by the process that holds that one. */
export class Funding {
  readonly #options: FundingOptions
  #low = false

  constructor(options: FundingOptions) {
    this.#options = options
  }

  /** At the last look; false at a process that does not hold the admin payer. */
  get isLow(): boolean {
    return this.#low
  }

  /** Sends what the payers lack. @throws where chain or database do not answer */
  async fund(admin: Lane): Promise<void> {
    const { provider, market, payers } = this.#options
    // Before the balances are asked for: what lands in between is then still seen as on its way.
    const onTheirWay = new Set(admin.sent.map(({ functionName }) => functionName))
    const [{ maxFeePerGas }, balances] = await Promise.all([
      market.current(),
      Promise.all(payers.map(({ address }) => provider.getBalance(address))),
      admin.look(),
    ])
    const low = LOW_WRITES * WRITE_GAS_MAX * maxFeePerGas
    const full = FULL_WRITES * WRITE_GAS_MAX * maxFeePerGas
    for (const [index, { number, address }] of payers.entries()) {
      const balance = balances[index] ?? 0n
      const functionName = `top_up_${number}`
      if (balance >= low || onTheirWay.has(functionName)) continue
      const transfer = { to: address, value: full - balance }
      if ((admin.credit ?? 0n) < transfer.value + WRITE_GAS_MAX * maxFeePerGas) continue
      const gasLimit = await provider.estimateGas({ from: admin.address, ...transfer })
      await admin.send({ writeId: randomUUID(), functionName, ...transfer, data: '0x', gasLimit })
    }
    this.#warn(admin, BigInt(payers.length) * full)
  }

  /** Once, when the admin payer can not fill all the others any more. */
  #warn(admin: Lane, enough: bigint): void {
    const low = (admin.credit ?? 0n) < enough
    if (low && !this.#low) {
      const ether = formatEther(admin.credit ?? 0n)
      this.#options.log('payer.low', { payer: admin.number, address: admin.address, ether })
    }
    this.#low = low
  }
}
