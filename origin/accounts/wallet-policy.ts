/** Wallet policies as the contract records them (`PolicyFacet.sol`). Times are block timestamps in Unix seconds. */

/** The parts of a policy's document that the contract records. */
export type PolicyTerms = {
  /** Hash of the document. */
  hash: string
  /** Seconds before a change that loosens the policy takes effect. */
  changeDelay: number
  isImmutable: boolean
}

export type WalletPolicy = PolicyTerms & {
  /** Time of the last write, even if the policy that it set is still pending. */
  setAt: number
  /** Policy that replaces this one at `effectiveAt`. */
  pending?: PolicyTerms & { effectiveAt: number }
}

/**
 * Returns the policy that holds at a time, with the policy that is still pending then.
 * @param chainTime block timestamp, never the time of a machine
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
 * Returns the terms of the replaced policy, of which the event contains only the hash. It is the previous policy, or
 * the one that was pending. It can be unknown while a range of events is applied again; a later event of the range then
 * corrects the result. A policy that was replaced was not immutable.
 */
function replacedTerms(previous: WalletPolicy | undefined, replaces: string): PolicyTerms {
  const known = [previous, previous?.pending].find((one) => one?.hash === replaces)
  return known ?? { hash: replaces, changeDelay: 0, isImmutable: false }
}
