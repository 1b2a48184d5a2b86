import type { EnvironmentName } from '../../shared/config/environments.ts'

type NewAccountDefaults = {
  burst: number
  perHour: number
  /** Daily gas budget in wei. Undefined if gas is free of charge. */
  gasPerDayWei?: bigint
}

/**
 * Allows 5 accounts per hour and network. An attacker with unlimited addresses can spend at most 0.05 ETH per day,
 * which pays for thousands of accounts at low gas prices, or dozens at high gas prices.
 */
const PUBLIC: NewAccountDefaults = { burst: 5, perHour: 5, gasPerDayWei: 50_000_000_000_000_000n }

export const NEW_ACCOUNT_DEFAULTS: Record<EnvironmentName, NewAccountDefaults> = {
  /** Limits that are high enough for development, but expose a runaway loop. */
  local: { burst: 30, perHour: 1_800 },
  staging: PUBLIC,
  production: PUBLIC,
}
