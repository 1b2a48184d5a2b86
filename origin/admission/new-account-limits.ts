import { clientNetwork, clientSite } from '../../shared/network/client-network.ts'
import type { Database } from '../db/open.ts'
import { errorTrace, type OriginLog } from '../log.ts'
import { CallRate, hashedCallerId } from './call-rate.ts'
import { GasBudget, type GasBudgetOptions } from './gas-budget.ts'
import { GasBudgetAlert } from './gas-budget-alert.ts'

const LIMIT_NAME = 'new_account'
const LIMITED_OPERATIONS = 'new accounts and conversions'

/** Shares of what all others have left of the budget, for one address (IPv4 /32, IPv6 /64) and one site (/24, /48). */
const ADDRESS_SHARE_PERCENT = 10
export const SITE_SHARE_PERCENT = 25

type NewAccountLimitsOptions = {
  db: Database
  now: () => number
  log: OriginLog
  hashKey: Uint8Array
  /** Accounts that one network may create in a burst (`burst`), and per hour in the long term (`perHour`). */
  burst: number
  perHour: number
  /** Daily gas budget of all networks together, in wei. Undefined if gas is free of charge. */
  gasPerDayWei: bigint | undefined
  /** @default SITE_SHARE_PERCENT */
  siteSharePercent?: number
  /** Current price of one unit of gas, in wei. */
  gasPrice: () => Promise<bigint>
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
  readonly #alert?: GasBudgetAlert
  readonly #budget?: GasBudget

  constructor(options: NewAccountLimitsOptions) {
    this.#options = options
    this.#rate = new CallRate({ ...options, name: LIMIT_NAME })
    const perDayWei = options.gasPerDayWei
    if (perDayWei === undefined) return
    const alert = new GasBudgetAlert({ ...options, perDayWei })
    this.#alert = alert
    this.#budget = this.#gasBudget(LIMIT_NAME, '', { onSpent: (spent) => alert.observe(spent) })
  }

  /** Used share of today's gas budget, as far as this process knows. Undefined if there is no budget. */
  get gasUsedRatio(): number | undefined {
    return this.#alert?.usedRatio
  }

  get isGasBudgetLow(): boolean {
    return this.#alert?.isLow ?? false
  }

  /**
   * @param gas upper bound of the gas that the write uses
   * @throws {LimitExceededError | DatabaseUnavailableError | ContractUnavailableError}
   */
  async admit(address: string, gas: bigint): Promise<GasReservation> {
    await this.#rate.take(clientNetwork(address))
    return this.reserveGas(address, gas)
  }

  /**
   * @param gas upper bound of the gas that the write uses
   * @throws {LimitExceededError | DatabaseUnavailableError | ContractUnavailableError}
   */
  async reserveGas(address: string, gas: bigint): Promise<GasReservation> {
    const estimateWei = this.#budget ? gas * (await this.#options.gasPrice()) : 0n
    const reservations: GasReservation[] = []
    const release = async () => {
      for (const reservation of reservations.toReversed()) await reservation.release()
    }
    // The shared budget is last, so that rejected requests of one network never reserve a part of it.
    for (const budget of this.#budgetsOf(address)) {
      const reserved = await budget.reserve(estimateWei).catch(async (error: unknown) => {
        // A failure to release must not hide why the write was rejected.
        await release().catch((failure: unknown) => {
          this.#options.log('gas.not_given_back', { cause: errorTrace(failure) })
        })
        throw error
      })
      reservations.push({
        settle: (wei) => budget.settle(reserved, wei),
        release: () => budget.release(reserved),
      })
    }
    return {
      settle: async (wei) => {
        for (const reservation of reservations.toReversed()) await reservation.settle(wei)
      },
      release,
    }
  }

  /** Reads how much of today's budget all processes have used. */
  async loadGasUse(): Promise<void> {
    await this.#budget?.load()
  }

  async forgetOld(): Promise<void> {
    await Promise.all([
      this.#rate.forgetOld(),
      this.#budget?.deletePastBudgets(),
      this.#budget?.load(),
    ])
  }

  #budgetsOf(address: string): GasBudget[] {
    const { hashKey, siteSharePercent = SITE_SHARE_PERCENT } = this.#options
    if (!this.#budget) return []
    const share = (block: string, what: string, percent: number) =>
      this.#gasBudget(hashedCallerId(hashKey, LIMIT_NAME, block), ` of one ${what}`, {
        share: { of: LIMIT_NAME, percent },
      })
    return [
      share(clientNetwork(address), 'address', Math.min(ADDRESS_SHARE_PERCENT, siteSharePercent)),
      share(`site ${clientSite(address)}`, 'network', siteSharePercent),
      this.#budget,
    ]
  }

  #gasBudget(
    name: string,
    scope: string,
    options: Pick<GasBudgetOptions, 'share' | 'onSpent'>,
  ): GasBudget {
    const { db, now, gasPerDayWei: perDayWei = 0n } = this.#options
    return new GasBudget({
      db,
      now,
      name,
      what: `${LIMITED_OPERATIONS}${scope}`,
      perDayWei,
      ...options,
    })
  }
}
