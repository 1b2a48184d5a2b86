/** The policy of a wallet as the contract records it (`PolicyFacet.sol`). Times are Unix seconds of the chain's clock. */

/** What the contract knows of a policy's document. */
export type PolicyTerms = {
  /** Hash of the document. */
  hash: string
  /** Seconds before a change that loosens the policy takes effect. */
  changeDelay: number
  isImmutable: boolean
}

export type WalletPolicy = PolicyTerms & {
  /** Time of the last write, even if what it set is pending. */
  setAt: number
  /** Policy that replaces this one at `effectiveAt`. */
  pending?: PolicyTerms & { effectiveAt: number }
}

/**
 * Returns the policy that holds at a time, with what is still pending then.
 * @param chainTime timestamp of the block, never the time of a machine
 */
export function policyAt(policy: WalletPolicy, chainTime: number): WalletPolicy {
  const { setAt, pending } = policy
  if (!pending || pending.effectiveAt > chainTime) return policy
  const { hash, changeDelay, isImmutable } = pending
  return { hash, changeDelay, isImmutable, setAt }
}

export type PolicyChange = PolicyTerms & { replaces: string; setAt: number; effectiveAt: number }

/** Returns the policy after a `WalletPolicySet` event. */
export function changedPolicy(
  previous: WalletPolicy | undefined,
  { replaces, setAt, effectiveAt, ...terms }: PolicyChange,
): WalletPolicy {
  if (effectiveAt <= setAt) return { ...terms, setAt }
  const { hash, changeDelay, isImmutable } = replacedTerms(previous, replaces)
  return { hash, changeDelay, isImmutable, setAt, pending: { ...terms, effectiveAt } }
}

/**
 * The event has only the hash of the replaced policy. It was set before, and may have been pending. While a range of
 * events is applied a second time, it can be unknown, until a later event of the range replaces the result. A policy
 * that can be replaced is not immutable.
 */
function replacedTerms(previous: WalletPolicy | undefined, replaces: string): PolicyTerms {
  const known = [previous, previous?.pending].find((one) => one?.hash === replaces)
  return known ?? { hash: replaces, changeDelay: 0, isImmutable: false }
}
