import type { ListedLimits } from '../../shared/wire/usage-key-limits.ts'

/** Limits of a listed usage key that has none. */
export const NO_LIMITS: ListedLimits = { expires_at: null }
