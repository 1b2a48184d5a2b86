/** What a usage key may spend: kept by the service and not by the contract, so it is set with a proof for billing. */
import type { RemovedCap, UsageKeyFields } from '../core/account.ts'
import { SvcError } from '../failures.ts'
import { InvalidArgument } from './argument-failure.ts'

/** As `update_usage_api_key` takes it. */
export type CapChange =
  | { spend_cap_cents: number; spend_window_seconds: number }
  | { remove_spend_cap: true }

type Fields = Partial<UsageKeyFields> & RemovedCap

/** `undefined` where a cap is neither set nor removed. @throws {InvalidArgument} for half of a cap, or both changes */
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

/** The fields that the contract holds. */
export function scopesIn({
  spend_cap_cents: _cents,
  spend_window_seconds: _window,
  remove_spend_cap: _removed,
  ...scopes
}: Fields): Partial<UsageKeyFields> {
  return scopes
}

/** Whether anything is given that the contract holds. */
export function hasScopes(fields: Fields): boolean {
  return Object.values(scopesIn(fields)).some((value) => value !== undefined)
}

/** The usage key is on the chain, and its cap is not set: the key was not given out. */
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
