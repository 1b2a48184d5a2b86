import { randomUUID } from 'node:crypto'
import { formatEther, type JsonRpcApiProvider } from 'ethers'
import type { OriginLog } from '../../log.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import type { GasMarket } from './fees.ts'
import type { GasPayer } from './gas-payer.ts'

/**
 * Balance thresholds, in multiples of the cost of the largest possible write. A payer below `LOW_BALANCE_WRITES` is
 * topped up to `FULL_BALANCE_WRITES`. The thresholds pay for about 500 and 2,000 typical writes.
 */
const LOW_BALANCE_WRITES = 6n
const FULL_BALANCE_WRITES = 24n

type PayerFundingOptions = {
  provider: JsonRpcApiProvider
  market: GasMarket
  payers: readonly { number: number; address: string }[]
  log: OriginLog
}

/** Only the process that holds the admin payer tops up the others. */
export class PayerFunding {
  readonly #options: PayerFundingOptions
  #low = false

  constructor(options: PayerFundingOptions) {
    this.#options = options
  }

  /** True if the last check found that the admin payer cannot fill up all other payers. */
  get isLow(): boolean {
    return this.#low
  }

  /** @throws if the chain or database does not respond */
  async fund(admin: GasPayer): Promise<void> {
    const { provider, market, payers } = this.#options
    // Pending top-ups are read before the balances, so that a top-up that is mined in between still counts as pending.
    const pendingTopUps = new Set(admin.sent.map(({ functionName }) => functionName))
    const [{ maxFeePerGas }, balances] = await Promise.all([
      market.current(),
      Promise.all(payers.map(({ address }) => provider.getBalance(address))),
      admin.refresh(),
    ])
    const low = LOW_BALANCE_WRITES * WRITE_GAS_MAX * maxFeePerGas
    const full = FULL_BALANCE_WRITES * WRITE_GAS_MAX * maxFeePerGas
    for (const [index, { number, address }] of payers.entries()) {
      const balance = balances[index] ?? 0n
      const functionName = `top_up_${number}`
      if (balance >= low || pendingTopUps.has(functionName)) continue
      const transfer = { to: address, value: full - balance }
      if ((admin.credit ?? 0n) < transfer.value + WRITE_GAS_MAX * maxFeePerGas) continue
      const gasLimit = await provider.estimateGas({ from: admin.address, ...transfer })
      await admin.send({ writeId: randomUUID(), functionName, ...transfer, data: '0x', gasLimit })
    }
    this.#warnIfLow(admin, BigInt(payers.length) * full)
  }

  #warnIfLow(admin: GasPayer, enough: bigint): void {
    const low = (admin.credit ?? 0n) < enough
    if (low && !this.#low) {
      const ether = formatEther(admin.credit ?? 0n)
      this.#options.log('payer.low', { payer: admin.number, address: admin.address, ether })
    }
    this.#low = low
  }
}
