type NewAccountDefaults = {
  burst: number
  perHour: number
  /** Daily gas budget in wei. Undefined if gas is free of charge. */
  gasPerDayWei?: bigint
}

export const NEW_ACCOUNT_DEFAULTS: Record<'local' | 'production', NewAccountDefaults> = {
  /** Limits that are high enough for development, but expose a runaway loop. */
  local: { burst: 30, perHour: 1_800 },
  /**
   * Allows 5 accounts per hour and network. An attacker with unlimited addresses can spend at most 0.05 ETH per day,
   * which pays for thousands of accounts at low gas prices, or dozens at high gas prices.
   */
  production: { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n },
}
