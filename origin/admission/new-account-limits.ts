import { clientNetwork } from '../../shared/network/client-network.ts'
import type { Database } from '../db/open.ts'
import { CallRate, hashedCallerId } from './call-rate.ts'
import { GasBudget } from './gas-budget.ts'

const LIMIT_NAME = 'new_account'
const LIMITED_OPERATIONS = 'new accounts and conversions'

/** Ten networks must use their full share to exhaust the budget for all others. */
const NETWORK_SHARE = 10n

type NewAccountLimitsOptions = {
  db: Database
  now: () => number
  hashKey: Uint8Array
  /** Accounts that one network may create in a burst (`burst`), and per hour in the long term (`perHour`). */
  burst: number
  perHour: number
  /** Daily gas budget of all networks together, in wei. Undefined if gas is free of charge. */
  gasPerDayWei: bigint | undefined
}

/** Gas reserved for one write. The reserved amount counts as spent until `settle` or `release` is called. */
export type GasReservation = {
  settle(wei: bigint): Promise<void>
  /** Releases the reserved amount if no transaction was sent. */
  release(): Promise<void>
}

/**
 * Limits the writes for which this deployment pays the gas: creating and converting accounts. An account can be
 * converted only once, so the rate limit for new accounts also limits conversions in the long term.
 */
export class NewAccountLimits {
  readonly #options: NewAccountLimitsOptions
  readonly #rate: CallRate
  readonly #budget?: GasBudget

  constructor(options: NewAccountLimitsOptions) {
    this.#options = options
    this.#rate = new CallRate({ ...options, name: LIMIT_NAME })
    const perDayWei = options.gasPerDayWei
    if (perDayWei !== undefined)
      this.#budget = new GasBudget({
        ...options,
        name: LIMIT_NAME,
        what: LIMITED_OPERATIONS,
        perDayWei,
      })
  }

  /** @throws {LimitExceededError | DatabaseUnavailableError} */
  async admit(address: string): Promise<GasReservation> {
    await this.#rate.take(clientNetwork(address))
    return this.reserveGas(address)
  }

  /** @throws {LimitExceededError | DatabaseUnavailableError} */
  async reserveGas(address: string): Promise<GasReservation> {
    const sharedBudget = this.#budget
    if (!sharedBudget) return { settle: async () => {}, release: async () => {} }
    const { hashKey, gasPerDayWei = 0n } = this.#options
    const networkBudget = new GasBudget({
      ...this.#options,
      name: hashedCallerId(hashKey, LIMIT_NAME, clientNetwork(address)),
      what: `${LIMITED_OPERATIONS} of one network`,
      perDayWei: gasPerDayWei / NETWORK_SHARE,
    })
    const reserved = await networkBudget.reserve()
    const reservedShared = await sharedBudget.reserve().catch(async (error: unknown) => {
      await networkBudget.release(reserved)
      throw error
    })
    return {
      settle: async (wei) => {
        await sharedBudget.settle(reservedShared, wei)
        await networkBudget.settle(reserved, wei)
      },
      release: async () => {
        await sharedBudget.release(reservedShared)
        await networkBudget.release(reserved)
      },
    }
  }

  async forgetOld(): Promise<void> {
    await Promise.all([this.#rate.forgetOld(), this.#budget?.deletePastBudgets()])
  }
}
