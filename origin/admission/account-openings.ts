import { clientNetwork } from '../../shared/client-network.ts'
import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'
import { callerId } from './caller-id.ts'
import { GasBudget } from './gas-budget.ts'

const NAME = 'new_account'

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

/** An account that may be opened; it ends in one of the two ways, or stays counted in full. */
export type Opening = {
  /** The transaction is in a block. */
  cost(wei: bigint): Promise<void>
  /** Nothing was sent. */
  refused(): Promise<void>
}

/** Who may open accounts, for which this deployment pays the gas (`decisions.md`, new_account). */
export class AccountOpenings {
  readonly #options: AccountOpeningsOptions
  readonly #rate: CallRate
  readonly #budget?: GasBudget

  constructor(options: AccountOpeningsOptions) {
    this.#options = options
    this.#rate = new CallRate({ ...options, name: NAME })
    const perDayWei = options.gasPerDayWei
    if (perDayWei !== undefined)
      this.#budget = new GasBudget({ ...options, name: NAME, what: NAME, perDayWei })
  }

  /** Counts an attempt of an address. @throws {TooManyCalls | DatabaseUnavailable} */
  async admit(address: string): Promise<Opening> {
    const network = clientNetwork(address)
    await this.#rate.take(network)
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
    return new GasBudget({ ...this.#options, name, what: `${NAME} for one network`, perDayWei })
  }
}
