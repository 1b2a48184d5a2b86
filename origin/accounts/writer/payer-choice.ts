import { setTimeout as sleep } from 'node:timers/promises'
import { ChainUnavailable } from '../chain.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import type { GasMarket } from './fees.ts'
import type { Lane } from './lane.ts'
import type { PayerLanes } from './payer-lanes.ts'

/** A top-up takes one or two blocks. */
const FUNDS_WAIT_MS = 10_000
const FUNDS_POLL_MS = 100

export type PayerChoiceOptions = {
  payers: PayerLanes
  market: GasMarket
  /** Called if no payer has enough funds for a write. */
  needFunds: () => void
}

/** Selects the payer with enough funds that has the fewest live writes. */
export class PayerChoice {
  readonly #options: PayerChoiceOptions

  constructor(options: PayerChoiceOptions) {
    this.#options = options
  }

  /** @throws {ChainUnavailable} if no payer is available, or no payer gets enough funds for a large write in time */
  async lane(): Promise<Lane> {
    const { payers, needFunds } = this.#options
    if (payers.sending().length === 0) await payers.tend()
    const began = performance.now()
    for (;;) {
      const lanes = payers.sending()
      if (lanes.length === 0)
        throw new ChainUnavailable('other processes hold all wallets that pay for writes')
      const funded = await this.#funded(lanes)
      if (funded) return funded
      if (performance.now() - began > FUNDS_WAIT_MS)
        throw new ChainUnavailable('no payer has enough gas for a write')
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
      throw new ChainUnavailable('the gas price or a payer’s balance could not be read', {
        cause: error,
      })
    }
  }
}
