import type { UsageKey } from '../../../../shared/client/core/account.ts'
import { DAY_MS } from '../../../../shared/durations.ts'

/** Time before the expiry of a key from which it is shown as a warning. */
const SOON_MS = 7 * DAY_MS

export type Expiry = { text: string; tone?: 'bad' }

/** Returns undefined if the key does not expire, or not soon. */
export function describeExpiry(
  expiresAt: string | null | undefined,
  now: number,
): Expiry | undefined {
  if (expiresAt == null) return undefined
  const leftMs = Date.parse(expiresAt) - now
  if (leftMs <= 0) return { text: 'expired', tone: 'bad' }
  if (leftMs > SOON_MS) return undefined
  const days = Math.floor(leftMs / DAY_MS)
  if (days === 0) return { text: 'expires within a day', tone: 'bad' }
  return { text: `expires in ${days} day${days === 1 ? '' : 's'}`, tone: 'bad' }
}

/** Limits other than the expiry. */
export function describeLimits(key: UsageKey): [name: string, what: string][] {
  const runs = [
    key.max_requests_per_minute && `${key.max_requests_per_minute} requests per minute`,
    key.max_concurrent && `${key.max_concurrent} concurrent runs`,
  ]
  const limits: [string, string][] = [
    ['At most', runs.filter(Boolean).join(', ')],
    ['Used from', [...(key.allowed_origins ?? []), ...(key.allowed_ips ?? [])].join(', ')],
    ['Triggers', triggers(key)],
    ['Reads', key.can_read_account ? 'everything in the account' : ''],
  ]
  return limits.filter(([, what]) => what !== '')
}

function triggers({ allowed_origins, allowed_ips, allow_triggers }: UsageKey): string {
  if (!allowed_origins && !allowed_ips) return ''
  return allow_triggers ? 'can use the key from anywhere' : 'cannot use the key'
}
