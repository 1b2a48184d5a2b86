/** Limits of a usage key, apart from its spending cap. A limit that is not set is absent. */
export type KeyLimits = {
  /** Unix milliseconds. The key is refused from this time on. */
  expiresAt?: number
  maxRequestsPerMinute?: number
  maxConcurrent?: number
  /** Web origins, in the form of the `Origin` header. */
  allowedOrigins?: string[]
  /** Networks in CIDR notation. */
  allowedIps?: string[]
  /** Permits triggers to use a key that is restricted to origins or addresses. */
  allowTriggers?: boolean
}

export type LimitName = keyof KeyLimits

/** Limits to set. Null removes a limit, and an absent limit stays unchanged. */
export type LimitChanges = { [Name in LimitName]?: NonNullable<KeyLimits[Name]> | null }

export class KeyExpiredError extends Error {
  override readonly name = 'KeyExpiredError'
  readonly expiredAt: Date

  constructor(expiresAt: number) {
    super('the usage key has expired')
    this.expiredAt = new Date(expiresAt)
  }
}
