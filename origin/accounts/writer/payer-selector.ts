import { setTimeout as sleep } from 'node:timers/promises'
import { ContractUnavailableError } from '../chain.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import type { GasMarket } from './fees.ts'
import type { GasPayer } from './gas-payer.ts'
import type { PayerPool } from './payer-pool.ts'

/** Maximum wait for a top-up, which takes one or two blocks. */
const FUNDS_WAIT_MS = 10_000
const FUNDS_POLL_MS = 100

type PayerSelectorOptions = {
  payers: PayerPool
  market: GasMarket
  needFunds: () => void
}

/** Selects the payer with enough funds that has the fewest live writes. */
export class PayerSelector {
  readonly #options: PayerSelectorOptions

  constructor(options: PayerSelectorOptions) {
    this.#options = options
  }

  /** @throws {ContractUnavailableError} if no payer is available, or no payer gets enough funds in time */
  async select(): Promise<GasPayer> {
    const { payers, needFunds } = this.#options
    if (payers.available().length === 0) await payers.maintain()
    const began = performance.now()
    for (;;) {
      const candidates = payers.available()
      if (candidates.length === 0)
        throw new ContractUnavailableError('other processes hold all wallets that pay for writes')
      const funded = await this.#findFunded(candidates)
      if (funded) return funded
      if (performance.now() - began > FUNDS_WAIT_MS)
        throw new ContractUnavailableError('no payer has enough gas for a write')
      needFunds()
      await sleep(FUNDS_POLL_MS)
      for (const candidate of candidates) candidate.credit = undefined
    }
  }

  async #findFunded(candidates: readonly GasPayer[]): Promise<GasPayer | undefined> {
    try {
      const { maxFeePerGas } = await this.#options.market.current()
      for (const candidate of candidates) {
        if (candidate.credit === undefined) await candidate.refresh()
        if ((candidate.credit ?? 0n) >= WRITE_GAS_MAX * maxFeePerGas) return candidate
      }
      return undefined
    } catch (error) {
      throw new ContractUnavailableError('the gas price or a payer’s balance could not be read', {
        cause: error,
      })
    }
  }
}
