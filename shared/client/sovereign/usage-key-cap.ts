/** Spending caps of usage keys. The service stores them off chain, so they are set with a billing proof. */
import type { RemovedCap, UsageKeyFields } from '../core/account.ts'
import { SvcError } from '../failures.ts'
import { InvalidArgument } from './argument-failure.ts'

/** As accepted by `update_usage_api_key`. */
export type CapChange =
  | { spend_cap_cents: number; spend_window_seconds: number }
  | { remove_spend_cap: true }

type Fields = Partial<UsageKeyFields> & RemovedCap

/**
 * Returns undefined if the cap does not change. @throws {InvalidArgument} for half of a cap, or for setting and
 * removing it
 */
export function capIn(fields: Fields): CapChange | undefined {
  const { spend_cap_cents: cap, spend_window_seconds: window, remove_spend_cap: isRemoved } = fields
  if (cap == null && window == null) return isRemoved ? { remove_spend_cap: true } : undefined
  if (cap == null || window == null)
    throw new InvalidArgument(
      'spend_cap_cents',
      'expected both or neither of it and spend_window_seconds',
    )
  if (isRemoved)
    throw new InvalidArgument('remove_spend_cap', 'expected nothing beside spend_cap_cents')
  return { spend_cap_cents: cap, spend_window_seconds: window }
}

/** Returns the fields that the contract stores. */
export function scopesIn({
  spend_cap_cents: _cents,
  spend_window_seconds: _window,
  remove_spend_cap: _removed,
  ...scopes
}: Fields): Partial<UsageKeyFields> {
  return scopes
}

/** Returns true if any field that the contract stores is given. */
export function hasScopes(fields: Fields): boolean {
  return Object.values(scopesIn(fields)).some((value) => value !== undefined)
}

/** The usage key is registered, but its cap may not be set. The key itself was not returned. */
export class CapNotSet extends SvcError {
  override name = 'CapNotSet'
  readonly usageApiKeyHash: string
  constructor(usageApiKeyHash: string, cause: unknown) {
    super(
      'The usage key is registered, and whether its cap is set is not known.',
      {
        code: 'cap_not_set',
        fix: `Remove the key ${usageApiKeyHash} by its hash, which nobody knows the text of, and make another.`,
      },
      { cause },
    )
    this.usageApiKeyHash = usageApiKeyHash
  }
}
