/** Names of the limits of a usage key, in requests and lists. A file of its own, so that clients need no schemas. */
export const LIMIT_FIELDS = ['expires_at'] as const
export type LimitField = (typeof LIMIT_FIELDS)[number]
