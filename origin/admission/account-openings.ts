import { clientNetwork } from '../../shared/client-network.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'
import { callerId } from './caller-id.ts'
import { GasBudget } from './gas-budget.ts'

const NAME = 'new_account'
const WHAT = 'new accounts and conversions'

/** Of a day's gas for one network: ten of them have to be had before nobody else can open an account. */
const NETWORK_SHARE = 10n

export type AccountOpeningsOptions = {
  db: Database
  now: () => number
  /** Addresses are in the database as hashes under this key. */
  hashKey: Uint8Array
  /** Accounts that one network may open at once, and an hour over time. */
  burst: number
  perHour: number
  /** Gas of all together; absent where gas costs nothing. */
  gasPerDayWei: bigint | undefined
}

/** Gas that was reserved for one write; it ends in one of the two ways, or stays counted in full. */
export type GasReservation = {
  /** The transaction is in a block. */
  cost(wei: bigint): Promise<void>
  /** Nothing was sent. */
  refused(): Promise<void>
}

/**
 * The writes that are free of charge and whose gas this deployment pays (`decisions.md`, new_account): opening an
 * account and converting it. One daily budget bounds both. An account converts once, so the rate of openings bounds
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

  /** Counts an attempt of an address to open an account. @throws {TooManyCalls | DatabaseUnavailable} */
  async admit(address: string): Promise<GasReservation> {
    await this.#rate.take(clientNetwork(address))
    return this.reserveGas(address)
  }

  /** Reserves gas of the day for one write. @throws {TooManyCalls | DatabaseUnavailable} */
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
