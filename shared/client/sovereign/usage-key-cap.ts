/**
 * Sets spending caps of usage keys. The service stores caps off chain, so they are set with a billing proof instead of
 * a transaction.
 */
import type { RemovedCap, UsageKeyFields } from '../core/account.ts'
import { SvcError } from '../failures/svc-error.ts'
import { InvalidArgument } from './arguments.ts'

export type CapChange =
  | { spend_cap_cents: number; spend_window_seconds: number }
  | { remove_spend_cap: true }

type Fields = Partial<UsageKeyFields> & RemovedCap

/**
 * Returns the change of the spending cap. Undefined if the cap does not change.
 * @throws {InvalidArgument} if only half of a cap is given, or if the cap is both set and removed
 */
export function capChange(fields: Fields): CapChange | undefined {
  const { spend_cap_cents: cap, spend_window_seconds: window, remove_spend_cap: isRemoved } = fields
  if (cap == null && window == null) return isRemoved ? { remove_spend_cap: true } : undefined
  if (cap == null || window == null)
    throw new InvalidArgument(
      'spend_cap_cents',
      'set both this and spend_window_seconds, or neither',
    )
  if (isRemoved)
    throw new InvalidArgument('remove_spend_cap', 'cannot be combined with spend_cap_cents')
  return { spend_cap_cents: cap, spend_window_seconds: window }
}

export function contractFields({
  spend_cap_cents: _cents,
  spend_window_seconds: _window,
  remove_spend_cap: _removed,
  ...scopes
}: Fields): Partial<UsageKeyFields> {
  return scopes
}

export function hasContractFields(fields: Fields): boolean {
  return Object.values(contractFields(fields)).some((value) => value !== undefined)
}

/** The key is registered, but its spending cap may not be set. The key itself was not returned to the caller. */
export class CapNotSet extends SvcError {
  override name = 'CapNotSet'
  readonly usageApiKeyHash: string
  constructor(usageApiKeyHash: string, cause: unknown) {
    super(
      'The usage key is registered, but it is unknown whether its cap is set.',
      {
        code: 'cap_not_set',
        fix: `Remove the key ${usageApiKeyHash} by its hash, because the key itself is lost, and create another.`,
      },
      { cause },
    )
    this.usageApiKeyHash = usageApiKeyHash
  }
}
