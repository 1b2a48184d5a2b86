/** Names of the limits of a usage key, in requests and lists. A file of its own, so that clients need no schemas. */
export const LIMIT_FIELDS = [
  'expires_at',
  'max_requests_per_minute',
  'max_concurrent',
  'allowed_origins',
  'allowed_ips',
  'allow_triggers',
  'can_read_account',
] as const
export type LimitField = (typeof LIMIT_FIELDS)[number]
