/** What a usage key may spend: kept by the service and not by the contract, so it is set with a proof for billing. */
import type { UsageKeyFields } from '../core/account.ts'
import { SvcError } from '../failures.ts'
import { InvalidArgument } from './argument-failure.ts'

/** Both, or null in both for no cap. */
export type Cap = Pick<Required<UsageKeyFields>, 'spend_cap_cents' | 'spend_window_seconds'>

/** `undefined` where nothing is said of a cap. @throws {InvalidArgument} for one of the two alone */
export function capIn(fields: Partial<UsageKeyFields>): Cap | undefined {
  const { spend_cap_cents, spend_window_seconds } = fields
  if (spend_cap_cents === undefined && spend_window_seconds === undefined) return undefined
  if (
    spend_cap_cents === undefined ||
    (spend_cap_cents === null) !== (spend_window_seconds == null)
  )
    throw new InvalidArgument(
      'spend_cap_cents',
      'expected both or neither of it and spend_window_seconds',
    )
  return { spend_cap_cents, spend_window_seconds: spend_window_seconds ?? null }
}

/** Whether anything is given that the contract holds. */
export function hasScopes(fields: Partial<UsageKeyFields>): boolean {
  const { spend_cap_cents: _cents, spend_window_seconds: _window, ...scopes } = fields
  return Object.values(scopes).some((value) => value !== undefined)
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
