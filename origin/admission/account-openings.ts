import { clientNetwork } from '../../shared/client-network.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'
import { callerId } from './caller-id.ts'
import { GasBudget } from './gas-budget.ts'

const NAME = 'new_account'
const WHAT = 'new accounts and conversions'

/** Divisor of the daily gas budget for one network: it takes ten networks to exhaust the budget for everyone else. */
const NETWORK_SHARE = 10n

export type AccountOpeningsOptions = {
  db: Database
  now: () => number
  /** Key for hashing addresses before they are stored in the database. */
  hashKey: Uint8Array
  /** Accounts that one network may open at once (`burst`), and per hour over time. */
  burst: number
  perHour: number
  /** Daily gas budget of all networks together; undefined if gas is free of charge. */
  gasPerDayWei: bigint | undefined
}

/** Gas reserved for one write. It is settled by one of these methods, or else stays counted in full. */
export type GasReservation = {
  /** Settles the reservation at the actual cost, once the transaction is in a block. */
  cost(wei: bigint): Promise<void>
  /** Cancels the reservation, because nothing was sent. */
  refused(): Promise<void>
}

/**
 * Limits the writes that are free of charge and for which this deployment pays the gas: opening an account and
 * converting it. One daily budget bounds both. An account converts only once, so the rate of openings also bounds
 * conversions over time.
 */
export class AccountOpenings {
  readonly #options: AccountOpeningsOptions
  readonly #rate: CallRate
  readonly #budget?: GasBudget

  constructor(options: AccountOpeningsOptions) {
    this.#options = options
    this.#rate = new CallRate({ ...options, name: NAME })
    const perDayWei = options.gasPerDayWei
    if (perDayWei !== undefined)
      this.#budget = new GasBudget({ ...options, name: NAME, what: WHAT, perDayWei })
  }

  /**
   * Counts an attempt to open an account.
   * @throws {TooManyCalls | DatabaseUnavailable}
   */
  async admit(address: string): Promise<GasReservation> {
    await this.#rate.take(clientNetwork(address))
    return this.reserveGas(address)
  }

  /**
   * Reserves gas from today's budget for one write.
   * @throws {TooManyCalls | DatabaseUnavailable}
   */
  async reserveGas(address: string): Promise<GasReservation> {
    const network = clientNetwork(address)
    const everybody = this.#budget
    if (!everybody) return { cost: async () => {}, refused: async () => {} }
    const share = this.#shareOf(network)
    const reserved = await share.reserve()
    const reservedOfAll = await everybody.reserve().catch(async (error: unknown) => {
      await share.giveBack(reserved)
      throw error
    })
    return {
      cost: async (wei) => {
        await everybody.settle(reservedOfAll, wei)
        await share.settle(reserved, wei)
      },
      refused: async () => {
        await everybody.giveBack(reservedOfAll)
        await share.giveBack(reserved)
      },
    }
  }

  async forgetOld(): Promise<void> {
    await Promise.all([this.#rate.forgetOld(), this.#budget?.forgetOthers()])
  }

  #shareOf(network: string): GasBudget {
    const { hashKey, gasPerDayWei = 0n } = this.#options
    const name = callerId(hashKey, NAME, network)
    const perDayWei = gasPerDayWei / NETWORK_SHARE
    return new GasBudget({ ...this.#options, name, what: `${WHAT} for one network`, perDayWei })
  }
}
