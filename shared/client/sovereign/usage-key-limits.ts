/**
 * Changes of spending caps and limits of usage keys. The service stores them off chain, so they are set with a billing
 * proof instead of a transaction.
 */
import type { RemovedCap, RemovedLimits, UsageKeyFields } from '../core/account.ts'
import { SvcError } from '../failures/svc-error.ts'
import { LIMIT_FIELDS, type LimitField } from '../../wire/limit-fields.ts'
import { InvalidArgument } from './arguments.ts'

type CapChange =
  | { spend_cap_cents: number; spend_window_seconds: number }
  | { remove_spend_cap: true }

type Fields = Partial<UsageKeyFields> & RemovedCap & RemovedLimits

export type OffChainChange = Partial<Pick<UsageKeyFields, LimitField>> &
  RemovedLimits &
  (CapChange | object)

/**
 * Returns the change of the spending cap and the limits. Undefined if none of them changes.
 * @throws {InvalidArgument} if only half of a cap is given, or if the cap is both set and removed
 */
export function offChainChange(fields: Fields): OffChainChange | undefined {
  const limits = Object.fromEntries(
    [...LIMIT_FIELDS, 'remove_limits' as const].flatMap((name) =>
      fields[name] == null ? [] : [[name, fields[name]]],
    ),
  )
  const change = { ...limits, ...capChange(fields) }
  return Object.keys(change).length === 0 ? undefined : change
}

/**
 * Returns the change of the spending cap. Undefined if the cap does not change.
 * @throws {InvalidArgument} if only half of a cap is given, or if the cap is both set and removed
 */
function capChange(fields: Fields): CapChange | undefined {
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

const OFF_CHAIN_FIELDS: ReadonlySet<string> = new Set([
  'spend_cap_cents',
  'spend_window_seconds',
  'remove_spend_cap',
  ...LIMIT_FIELDS,
  'remove_limits',
])

export function contractFields(fields: Fields): Partial<UsageKeyFields> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !OFF_CHAIN_FIELDS.has(name)))
}

export function hasContractFields(fields: Fields): boolean {
  return Object.values(contractFields(fields)).some((value) => value !== undefined)
}

/** The key is registered, but its spending cap and limits may not be set. The key itself was not returned to the caller. */
export class CapNotSet extends SvcError {
  override name = 'CapNotSet'
  readonly usageApiKeyHash: string
  constructor(usageApiKeyHash: string, cause: unknown) {
    super(
      'The usage key is registered, but it is unknown whether its cap and limits are set.',
      {
        code: 'cap_not_set',
        fix: `Remove the key ${usageApiKeyHash} by its hash, because the key itself is lost, and create another.`,
      },
      { cause },
    )
    this.usageApiKeyHash = usageApiKeyHash
  }
}
