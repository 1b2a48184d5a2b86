/** Default limits for accounts that anyone may open at this deployment's expense. */
export type OpeningsDefaults = {
  burst: number
  perHour: number
  /** Undefined if gas is free of charge. */
  gasPerDayWei?: bigint
}

export const OPENINGS_DEFAULTS: Record<'local' | 'production', OpeningsDefaults> = {
  /** 30 at once and 30 per minute: enough for development, but a runaway loop is noticed. */
  local: { burst: 30, perHour: 1_800 },
  /**
   * 5 per hour. 0.05 ETH per day is the most that an attacker with unlimited addresses can make this deployment spend:
   * thousands of accounts at low gas prices, dozens at high ones.
   */
  production: { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n },
}
