/** Default limits for new accounts, which anyone may create at this deployment's expense. */
export type OpeningsDefaults = {
  burst: number
  perHour: number
  /** Daily gas budget in wei. Undefined if gas is free of charge. */
  gasPerDayWei?: bigint
}

export const OPENINGS_DEFAULTS: Record<'local' | 'production', OpeningsDefaults> = {
  /**
   * Local limits: 30 accounts in a burst and 30 per minute. This is enough for development, but exposes a runaway loop.
   */
  local: { burst: 30, perHour: 1_800 },
  /**
   * Production limits: 5 accounts per hour and network. An attacker with unlimited addresses can make this deployment
   * spend at most 0.05 ETH per day. This pays for thousands of accounts at low gas prices, or dozens at high gas
   * prices.
   */
  production: { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n },
}
