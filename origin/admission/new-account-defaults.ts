type NewAccountDefaults = {
  burst: number
  perHour: number
  /** Undefined if gas is free of charge. */
  gasPerDayWei?: bigint
}

export const NEW_ACCOUNT_DEFAULTS: Record<'local' | 'production', NewAccountDefaults> = {
  /** Enough for development, but exposes a runaway loop. */
  local: { burst: 30, perHour: 1_800 },
  /**
   * 5 accounts per hour and network. With unlimited addresses, an attacker can spend at most 0.05 ETH per day, which
   * pays for thousands of accounts at low gas prices, or dozens at high gas prices.
   */
  production: { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n },
}
