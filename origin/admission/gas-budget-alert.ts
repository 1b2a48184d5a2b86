import type { OriginLog } from '../log.ts'
import { type SpentGas, utcDay } from './gas-budget.ts'

/** Share of the daily gas budget that, once used, is reported to the operator. */
const ALERT_PERCENT = 80

type GasBudgetAlertOptions = {
  now: () => number
  perDayWei: bigint
  log: OriginLog
}

/** Keeps the used share of the daily gas budget in memory, and logs once a day and process when little is left. */
export class GasBudgetAlert {
  readonly #options: GasBudgetAlertOptions
  #spent: SpentGas = { day: '', spentWei: 0n }
  #loggedDay = ''

  constructor(options: GasBudgetAlertOptions) {
    this.#options = options
  }

  observe({ day, spentWei }: SpentGas): void {
    this.#spent = { day, spentWei }
    const { log, perDayWei } = this.#options
    if (!this.isLow || this.#loggedDay === day) return
    this.#loggedDay = day
    log('gas.budget_low', { day, spent_wei: String(spentWei), budget_wei: String(perDayWei) })
  }

  /** Used share of today's budget: 0 if it is unused, 1 if it is exhausted. */
  get usedRatio(): number {
    const { now, perDayWei } = this.#options
    const { day, spentWei } = this.#spent
    return day < utcDay(now()) ? 0 : Number(spentWei) / Number(perDayWei)
  }

  get isLow(): boolean {
    return this.usedRatio * 100 >= ALERT_PERCENT
  }
}
