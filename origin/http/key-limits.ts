import { withoutUndefined } from '../../shared/json/without-undefined.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import type { LimitField } from '../../shared/wire/limit-fields.ts'
import type { ChangedLimits, ListedLimits } from '../../shared/wire/usage-key-limits.ts'
import type { ChangeAudit } from '../audit-log/append-entry.ts'
import type { Payer } from '../credits/budget-names.ts'
import type { OriginServices } from '../services.ts'
import type { KeyLimits, LimitChanges, LimitName } from '../usage-keys/key-limits.ts'

const LIMIT_NAMES = {
  expires_at: 'expiresAt',
  max_requests_per_minute: 'maxRequestsPerMinute',
  max_concurrent: 'maxConcurrent',
  allowed_origins: 'allowedOrigins',
  allowed_ips: 'allowedIps',
  allow_triggers: 'allowTriggers',
  can_read_account: 'canReadAccount',
} as const satisfies Record<LimitField, LimitName>

/** Returns undefined if the request changes no limit. */
export function readLimits(body: ChangedLimits): LimitChanges | undefined {
  const { expires_at: expiresAt, remove_limits: removed = [] } = body
  const changes: LimitChanges = withoutUndefined({
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
    maxRequestsPerMinute: body.max_requests_per_minute,
    maxConcurrent: body.max_concurrent,
    allowedOrigins: body.allowed_origins,
    allowedIps: body.allowed_ips,
    // A key that is not restricted can be used by triggers anyway, so false is the same as absent.
    allowTriggers: body.allow_triggers === false ? null : body.allow_triggers,
    canReadAccount: body.can_read_account === false ? null : body.can_read_account,
    ...Object.fromEntries(removed.map((field) => [LIMIT_NAMES[field], null])),
  })
  return Object.keys(changes).length === 0 ? undefined : changes
}

/**
 * A new key that has already expired would be useless. An existing key can be expired at once.
 * @throws {ApiError} 422
 */
export function requireFutureExpiry(limits: LimitChanges | undefined, now: number): void {
  const { expiresAt } = limits ?? {}
  if (typeof expiresAt !== 'number' || expiresAt > now) return
  throw new ApiError(
    422,
    `expires_at: expected a time in the future; it is ${new Date(now).toISOString()} now.`,
    'Send a later time, in RFC 3339.',
  )
}

/** Each field is null if the key does not have the limit. */
export function toLimitsRecord(limits: KeyLimits = {}): ListedLimits {
  const { expiresAt } = limits
  return {
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    max_requests_per_minute: limits.maxRequestsPerMinute ?? null,
    max_concurrent: limits.maxConcurrent ?? null,
    allowed_origins: limits.allowedOrigins ?? null,
    allowed_ips: limits.allowedIps ?? null,
    allow_triggers: limits.allowTriggers ?? null,
    can_read_account: limits.canReadAccount ?? null,
  }
}

/** Never rejects: leftover limits are harmless, and a failure must not affect the response. */
export async function removeLimits(
  { keyLimits, log }: Pick<OriginServices, 'keyLimits' | 'log'>,
  key: Payer,
  audit: ChangeAudit,
): Promise<void> {
  try {
    await keyLimits.remove(key, audit)
  } catch (error) {
    log('key_limits.left', { error: error instanceof Error ? error.name : 'unknown' })
  }
}
