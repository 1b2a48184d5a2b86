import { describePolicy } from '../../policies/describe-policy.ts'
import type { PolicyDocument } from '../../policies/document.ts'
import type { Policy } from '../../policies/policy.ts'
import { printable } from '../terminal.ts'

/** Describes what a change removes from a policy, and what it adds. */
export type PolicyChanges = { removed: readonly string[]; added: readonly string[] }

type Part = { words: string; json: string }

export function policyChanges(from: Policy, to: Policy): PolicyChanges {
  const [before, after] = [partsOf(from.document), partsOf(to.document)]
  return { removed: without(before, after), added: without(after, before) }
}

/** Compares the JSON, because different parts can have the same description. */
function without(parts: readonly Part[], others: readonly Part[]): string[] {
  return parts
    .filter(({ json }) => !others.some((other) => other.json === json))
    .map(({ words }) => words)
}

function partsOf(document: PolicyDocument): Part[] {
  const { rules, sums } = describePolicy(document)
  const { name, change_delay_s: delay, immutable, tokens = [], lists = [] } = document
  return [
    ...(name === undefined ? [] : [named(`The name is ${name}.`)]),
    ...document.rules.map((rule, at) => part('rule', `${rules[at]!}.`, rule)),
    ...(document.sums ?? []).map((sum, at) => part('sum', `${sums[at]!}.`, sum)),
    ...tokens.map((token) =>
      part('token', `${token.name} is the token ${token.address} on chain ${token.chain}.`, token),
    ),
    ...lists.flatMap((list) =>
      list.addresses.map((address) => named(`@${list.name} contains ${address}.`)),
    ),
    named(`Changes that loosen the policy take effect after ${delay ?? 0} seconds.`),
    ...(immutable ? [named('The policy can never be changed.')] : []),
  ]
}

const part = (kind: string, words: string, value: object): Part => ({
  words,
  json: kind + JSON.stringify(value),
})

/** Returns a part that is fully described by its words. */
const named = (words: string): Part => ({ words, json: words })

export function changeLines({ removed, added }: PolicyChanges): string[] {
  if (removed.length === 0 && added.length === 0)
    return ['Only the order changes. The first rule that matches decides.']
  return [
    ...removed.map((words) => `- ${printable(words)}`),
    ...added.map((words) => `+ ${printable(words)}`),
  ]
}
