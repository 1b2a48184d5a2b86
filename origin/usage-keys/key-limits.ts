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
  /** Permits the key to read what the account key can read (docs/decisions/0156). */
  canReadAccount?: boolean
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

export class KeyRateError extends Error {
  override readonly name = 'KeyRateError'
  readonly max: number
  readonly retryAfterMs: number

  constructor(max: number, retryAfterMs: number) {
    super(`the usage key has made its ${max} requests of this minute`)
    this.max = max
    this.retryAfterMs = retryAfterMs
  }
}

export class KeyConcurrencyError extends Error {
  override readonly name = 'KeyConcurrencyError'
  readonly max: number

  constructor(max: number) {
    super(`${max} runs of the usage key are in flight`)
    this.max = max
  }
}

export class OriginNotAllowedError extends Error {
  override readonly name = 'OriginNotAllowedError'
  readonly origin: string | null

  constructor(origin: string | null) {
    super('the usage key is not allowed from this web origin')
    this.origin = origin
  }
}

export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError'
  readonly address: string

  constructor(address: string) {
    super('the usage key is not allowed from this address')
    this.address = address
  }
}

export class KeyNotForTriggersError extends Error {
  override readonly name = 'KeyNotForTriggersError'

  constructor() {
    super('the usage key is restricted to web origins or addresses')
  }
}
