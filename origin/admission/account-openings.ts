import type { Database } from '../db/open.ts'
import { CallRate } from './call-rate.ts'
import { clientNetwork } from './client-network.ts'
import { GasBudget } from './gas-budget.ts'

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
  readonly #rate: CallRate
  readonly #budget?: GasBudget

  constructor({ gasPerDayWei: perDayWei, ...options }: AccountOpeningsOptions) {
    const name = 'new_account'
    this.#rate = new CallRate({ ...options, name })
    if (perDayWei !== undefined) this.#budget = new GasBudget({ ...options, name, perDayWei })
  }

  /** Counts an attempt of an address. @throws {TooManyCalls | DatabaseUnavailable} */
  async admit(address: string): Promise<Opening> {
    await this.#rate.take(clientNetwork(address))
    const budget = this.#budget
    if (!budget) return { cost: async () => {}, refused: async () => {} }
    const reserved = await budget.reserve()
    return {
      cost: (wei) => budget.settle(reserved, wei),
      refused: () => budget.giveBack(reserved),
    }
  }

  forgetOld(): Promise<void> {
    return this.#rate.forgetOld()
  }
}
