import { describePolicy } from '../../../shared/policies/describe-policy.ts'
import { definitionWords } from './definition-words.ts'
import { isTightening } from '../../../shared/policies/is-tightening.ts'
import type { Policy } from '../../../shared/policies/policy.ts'

export type PolicyChange = {
  /** Delay in seconds before the change takes effect. 0 if it takes effect at once. */
  delayS: number
  /** True if the new policy provably allows nothing that the old one does not. */
  isTightening: boolean
  becomesImmutable: boolean
  /** Sentences about the old policy that the new one does not have, and the reverse. */
  removed: readonly string[]
  added: readonly string[]
}

/** Describes the replacement of a policy by another. Returns undefined if both are the same. */
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
