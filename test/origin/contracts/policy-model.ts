/** A model of the policies of one account's wallets, independent of how the contract stores them. */
import type { PolicyTerms } from './policies.ts'

export type PolicyChange = {
  pkpId: string
  replaces: string
  policy: PolicyTerms
  atOnce: boolean
  /** True if a payer attested exactly this change. */
  isAttested: boolean
}

type Entry = { policy: PolicyTerms; from: bigint }

export class PolicyModel {
  readonly #wallets = new Set<string>()
  /** Each wallet's policies in order, with the time from which each holds. Only the last one can be in the future. */
  readonly #history = new Map<string, Entry[]>()
  readonly #setAt = new Map<string, bigint>()

  /** @returns the name of the error, or `undefined` if the write succeeds */
  registerWallet(pkpId: string): string | undefined {
    this.#wallets.add(pkpId)
    return undefined
  }

  register({ pkpId, policy, isAttested }: PolicyChange, now: bigint): string | undefined {
    if (this.#wallets.has(pkpId)) return 'WalletAlreadyExists'
    if (!isAttested) return 'PolicyNotAttested'
    this.#wallets.add(pkpId)
    this.#setAt.set(pkpId, now)
    this.#history.set(pkpId, [{ policy, from: now }])
    return undefined
  }

  set({ pkpId, replaces, policy, atOnce, isAttested }: PolicyChange, now: bigint) {
    const history = this.#history.get(pkpId)
    if (!history) return this.#wallets.has(pkpId) ? 'WalletHasNoPolicy' : 'WalletDoesNotExist'
    const holds = history.findLast(({ from }) => from <= now)!.policy
    if (holds.isImmutable) return 'PolicyIsImmutable'
    if (holds.policyHash !== replaces) return 'PolicyChanged'
    if (!isAttested) return 'PolicyNotAttested'
    const begun = history.filter(({ from }) => from <= now)
    if (policy.policyHash !== replaces) {
      const waits = atOnce ? 0n : BigInt(holds.changeDelay)
      begun.push({ policy, from: now + waits })
    }
    this.#history.set(pkpId, begun)
    this.#setAt.set(pkpId, now)
    return undefined
  }

  /** Returns what `walletPoliciesOf` returns, in the order of registration. */
  view(now: bigint): unknown[][] {
    return [...this.#history].map(([pkpId, history]) => {
      const { policy } = history.findLast(({ from }) => from <= now)!
      const pending = history.find(({ from }) => from > now)
      return [
        pkpId,
        ...Object.values(viewed(policy)),
        this.#setAt.get(pkpId),
        ...Object.values(viewed(pending?.policy)),
        pending?.from ?? 0n,
      ]
    })
  }
}

const viewed = (policy?: PolicyTerms) => ({
  policyHash: policy?.policyHash ?? `0x${'0'.repeat(64)}`,
  changeDelay: BigInt(policy?.changeDelay ?? 0),
  isImmutable: policy?.isImmutable ?? false,
})
