import { setTimeout as sleep } from 'node:timers/promises'
import { ChainUnavailable } from '../chain.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import type { GasMarket } from './fees.ts'
import type { Lane } from './lane.ts'
import type { PayerLanes } from './payer-lanes.ts'

/** A top-up takes a block or two. */
const FUNDS_WAIT_MS = 10_000
const FUNDS_POLL_MS = 100

export type PayerChoiceOptions = {
  payers: PayerLanes
  market: GasMarket
  /** No payer has the gas for a write: they should be topped up now. */
  needFunds: () => void
}

/** Which payer a write goes out on: the one with the fewest under way that has the gas. */
export class PayerChoice {
  readonly #options: PayerChoiceOptions

  constructor(options: PayerChoiceOptions) {
    this.#options = options
  }

  /** @throws {ChainUnavailable} when no payer is to be had, or none has the gas for a large write in time */
  async lane(): Promise<Lane> {
    const { payers, needFunds } = this.#options
    if (payers.sending().length === 0) await payers.tend()
    const began = performance.now()
    for (;;) {
      const lanes = payers.sending()
      if (lanes.length === 0)
        throw new ChainUnavailable('other processes have all wallets that pay for writes')
      const funded = await this.#funded(lanes)
      if (funded) return funded
      if (performance.now() - began > FUNDS_WAIT_MS)
        throw new ChainUnavailable('no wallet has the gas for a write')
      needFunds()
      await sleep(FUNDS_POLL_MS)
      for (const lane of lanes) lane.credit = undefined
    }
  }

  async #funded(lanes: readonly Lane[]): Promise<Lane | undefined> {
    try {
      const { maxFeePerGas } = await this.#options.market.current()
      for (const lane of lanes) {
        if (lane.credit === undefined) await lane.look()
        if ((lane.credit ?? 0n) >= WRITE_GAS_MAX * maxFeePerGas) return lane
      }
      return undefined
    } catch (error) {
      throw new ChainUnavailable('it could not be asked about gas', { cause: error })
    }
  }
}
