import { describePolicy } from '../../../shared/policies/describe-policy.ts'
import { definitionWords } from './definition-words.ts'
import { isTightening } from '../../../shared/policies/is-tightening.ts'
import type { Policy } from '../../../shared/policies/policy.ts'

export type PolicyChange = {
  /** Seconds until the change takes effect; 0 if it takes effect at once. */
  delayS: number
  /** True if the new policy provably allows nothing that the old one denies. */
  isTightening: boolean
  becomesImmutable: boolean
  /** Sentences that describe only the old policy, and only the new one. */
  removed: readonly string[]
  added: readonly string[]
}

/** Describes the change from one policy to another. Returns undefined if they are equal. */
export function describeChange(from: Policy, to: Policy): PolicyChange | undefined {
  if (from.hash === to.hash) return undefined
  const tightens = isTightening(from, to)
  const [before, after] = [wordsOf(from), wordsOf(to)]
  const removed = before.filter((sentence) => !after.includes(sentence))
  const added = after.filter((sentence) => !before.includes(sentence))
  return {
    delayS: tightens ? 0 : (from.document.change_delay_s ?? 0),
    isTightening: tightens,
    becomesImmutable: to.document.immutable === true,
    removed,
    added,
  }
}

function wordsOf({ document }: Policy): string[] {
  const { rules, sums, general } = describePolicy(document)
  return [
    ...rules.map((rule) => `Rule ${rule}.`),
    ...sums.map((sum) => `Sum ${sum}.`),
    ...definitionWords(document),
    ...general.slice(1),
  ]
}
