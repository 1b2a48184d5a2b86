/** Accounts that anybody may open at this deployment's cost, unless the settings say otherwise. */
export type OpeningsDefaults = {
  burst: number
  perHour: number
  /** Absent: gas costs nothing. */
  gasPerDayWei?: bigint
}

export const OPENINGS_DEFAULTS: Record<'local' | 'production', OpeningsDefaults> = {
  /** 30 at once and 30 a minute (`decisions.md`, new_account): a loop that runs away is noticed. */
  local: { burst: 30, perHour: 1_800 },
  /**
   * 5 an hour (`decisions.md`, new_account). 0.05 ETH a day is what somebody with addresses without number can make
   * this deployment lose: thousands of accounts where gas is cheap, and some dozens where it is dear.
   */
  production: { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n },
}
