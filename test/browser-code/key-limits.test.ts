import { describe, expect, it } from 'vitest'
import { describeExpiry, describeLimits } from '../../edge/browser/console/keys/describe-limits.ts'
import { readLimits, replacingLimits } from '../../edge/browser/console/keys/read-limits.ts'
import { NO_LIMITS } from '../shared/no-limits.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const expiryOf = (at: string | null) => describeExpiry(at, NOW)?.text

describe('the expiry of a key', () => {
  it('is a warning in its last week', () => {
    expect(expiryOf('2026-01-04T12:00:00Z')).toBe('expires in 3 days')
    expect(expiryOf('2026-01-02T00:00:00Z')).toBe('expires in 1 day')
    expect(expiryOf('2026-01-01T23:59:00Z')).toBe('expires within a day')
    expect(expiryOf('2026-01-01T00:00:00Z')).toBe('expired')
    expect(expiryOf('2026-02-01T00:00:00Z')).toBeUndefined()
    expect(expiryOf(null)).toBeUndefined()
  })
})

describe('the limits of a key', () => {
  const key = (limits: object) => ({ ...NO_LIMITS, ...limits }) as never

  it('are described, and a key without limits has none', () => {
    expect(describeLimits(key({}))).toEqual([])
    expect(
      describeLimits(
        key({
          max_requests_per_minute: 60,
          max_concurrent: 2,
          allowed_origins: ['https://app.example.com'],
          allowed_ips: ['203.0.113.0/24'],
        }),
      ),
    ).toEqual([
      ['At most', '60 requests per minute, 2 concurrent runs'],
      ['Used from', 'https://app.example.com, 203.0.113.0/24'],
      ['Triggers', 'cannot use the key'],
    ])
  })

  it('of an origin before this version are not shown', () => {
    expect(describeLimits({} as never)).toEqual([])
  })
})

describe('the form', () => {
  const form = (values: Record<string, string>) => ({
    text: (name: string) => values[name] ?? '',
    has: (name: string) => name in values,
  })

  it('reads the expiry in UTC, and lists separated by spaces or commas', () => {
    const values = {
      'expires-k': '2026-01-01T12:30',
      'rate-k': '60',
      'origins-k': 'https://a.example, https://b.example',
      'triggers-k': 'yes',
      'reads-k': 'yes',
    }
    expect(readLimits(form(values), '-k')).toEqual({
      expires_at: '2026-01-01T12:30:00.000Z',
      max_requests_per_minute: 60,
      allowed_origins: ['https://a.example', 'https://b.example'],
      allow_triggers: true,
      can_read_account: true,
    })
  })

  it('removes the limits of empty fields', () => {
    expect(replacingLimits(readLimits(form({ rate: '60' })))).toEqual({
      max_requests_per_minute: 60,
      remove_limits: [
        'expires_at',
        'max_concurrent',
        'allowed_origins',
        'allowed_ips',
        'allow_triggers',
        'can_read_account',
      ],
    })
  })
})
