import type { ListedLimits } from '../../shared/wire/usage-key-limits.ts'

/** Limits of a listed usage key that has none. */
export const NO_LIMITS: ListedLimits = {
  expires_at: null,
  max_requests_per_minute: null,
  max_concurrent: null,
  allowed_origins: null,
  allowed_ips: null,
  allow_triggers: null,
  can_read_account: null,
}
