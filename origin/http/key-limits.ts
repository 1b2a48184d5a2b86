import { ApiError } from '../../shared/errors/api-error.ts'
import type { LimitField } from '../../shared/wire/limit-fields.ts'
import type { ChangedLimits, ListedLimits } from '../../shared/wire/usage-key-limits.ts'
import type { ChangeAudit } from '../audit-log/append-entry.ts'
import type { Payer } from '../credits/budget-names.ts'
import type { OriginServices } from '../services.ts'
import type { KeyLimits, LimitChanges, LimitName } from '../usage-keys/key-limits.ts'

const LIMIT_NAMES = {
  expires_at: 'expiresAt',
} as const satisfies Record<LimitField, LimitName>

/** Returns undefined if the request changes no limit. */
export function readLimits(body: ChangedLimits): LimitChanges | undefined {
  const { expires_at: expiresAt, remove_limits: removed = [] } = body
  const changes: LimitChanges = {
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
    ...Object.fromEntries(removed.map((field) => [LIMIT_NAMES[field], null])),
  }
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

export function toLimitsRecord(limits: KeyLimits = {}): ListedLimits {
  const { expiresAt } = limits
  return { expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString() }
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
