import { clientNetwork } from '../../shared/client-network.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'
import { callerId } from './caller-id.ts'
import { GasBudget } from './gas-budget.ts'

const NAME = 'new_account'
const WHAT = 'new accounts and conversions'

/**
 * Share of one network in the daily gas budget. Ten networks must use their full share to exhaust the budget for all
 * others.
 */
const NETWORK_SHARE = 10n

export type AccountOpeningsOptions = {
  db: Database
  now: () => number
  /** For hashing addresses before they are stored in the database. */
  hashKey: Uint8Array
  /** Accounts that one network may open in a burst, and per hour in the long term. */
  burst: number
  perHour: number
  /** For all networks together. Undefined if gas is free of charge. */
  gasPerDayWei: bigint | undefined
}

/** The reserved amount counts as spent until one of these methods is called. */
export type GasReservation = {
  /** Called with the actual cost, once the transaction is in a block. */
  cost(wei: bigint): Promise<void>
  /** Called if no transaction was sent. */
  refused(): Promise<void>
}

/**
 * Limits the writes for which this deployment pays the gas: creating an account and converting it. An account can be
 * converted only once, so the rate limit for new accounts also limits conversions in the long term.
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

  /** @throws {TooManyCalls | DatabaseUnavailable} */
  async admit(address: string): Promise<GasReservation> {
    await this.#rate.take(clientNetwork(address))
    return this.reserveGas(address)
  }

  /**
   * Reserves from today's budget, for one write.
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
    return new GasBudget({ ...this.#options, name, what: `${WHAT} of one network`, perDayWei })
  }
}
