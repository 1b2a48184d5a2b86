import type { Effect } from './effects.ts'
import { ZERO_ADDRESS } from './address.ts'
import type { Mismatch } from './mismatch.ts'
import type { Scope } from './scope.ts'

/** Flags with which a rule names effects that are denied otherwise. */
type Flags = {
  unlimited_approval?: true | undefined
  zero_address?: true | undefined
  unchecked_nested_calls?: true | undefined
  delegate_call?: true | undefined
}

/** Returns the first effect that needs a flag which the rule does not have. */
export function unnamedHazard(
  { movements, hasNestedCalls, isDelegateCall }: Effect,
  flags: Flags,
  scope: Scope,
  chain: bigint | undefined,
): Omit<Mismatch, 'step'> | undefined {
  if (isDelegateCall && !flags.delegate_call)
    return { code: 'delegate_call', reason: 'it executes the code of another contract' }
  if (hasNestedCalls && !flags.unchecked_nested_calls)
    return { code: 'nested_calls', reason: 'it executes calls that policies cannot check yet' }
  for (const { kind, token, recipient, isUnlimited, isForAll } of movements) {
    const known = token && chain !== undefined ? scope.tokenAt(chain, token) : undefined
    const isIdOfToken = known?.standard === 'erc721' && !isForAll
    if (isUnlimited && kind === 'approval' && !isIdOfToken && !flags.unlimited_approval)
      return { code: 'unlimited_approval', reason: `it approves ${recipient} without a limit` }
    if (recipient === ZERO_ADDRESS && !flags.zero_address)
      return { code: 'zero_address', reason: 'the recipient of tokens is the zero address' }
  }
  return undefined
}
