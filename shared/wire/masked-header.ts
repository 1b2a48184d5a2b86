/** Value that run records contain instead of a header that may be secret. */
export const MASKED_HEADER = 'REDACTED'
