import type { Cli } from '../cli.ts'
import type { Command } from 'commander'
import {
  describePolicy,
  durationWords,
  type PolicyDescription,
} from '../../policies/describe-policy.ts'
import { isTightening } from '../../policies/is-tightening.ts'
import type { Policy } from '../../policies/policy.ts'
import { printable } from '../terminal.ts'
import { readPolicy } from './read-policy.ts'

export type CheckOptions = {
  /** File of the policy that would be replaced. */
  replaces?: string
}

/** @throws {UsageError} if a policy is invalid */
export async function checkPolicy(
  cli: Cli,
  command: Command,
  file: string,
  { replaces }: CheckOptions,
): Promise<void> {
  const policy = await readPolicy(cli, file)
  const { hash, canonical, document } = policy
  const described = describePolicy(document)
  const change =
    replaces === undefined ? undefined : changeOf(await readPolicy(cli, replaces), policy)
  cli.print(command, { hash, canonical, ...described, ...(change && { change }) }, () => [
    `hash  ${hash}`,
    '',
    ...descriptionLines(described),
    ...(change ? ['', changeWords(change)] : []),
  ])
}

export function descriptionLines({ rules, sums, general, warnings }: PolicyDescription): string[] {
  return [
    ...rules.map((rule, index) => `${index + 1}. ${printable(rule)}.`),
    ...(sums.length === 0 ? [] : ['', 'Sums:', ...sums.map((sum) => `- ${printable(sum)}.`)]),
    '',
    ...general,
    ...warnings.map((warning) => `Warning: ${printable(warning)}`),
  ]
}

type Change = {
  /** Hash of the policy that would be replaced. */
  replaces: string
  effect: 'none' | 'refused' | 'at_once' | 'delayed'
  /** Seconds before the change takes effect. 0 unless it is delayed. */
  delay_s: number
}

function changeOf(from: Policy, to: Policy): Change {
  const delay = from.document.change_delay_s ?? 0
  const change = (effect: Change['effect'], delay_s: number) => ({
    replaces: from.hash,
    effect,
    delay_s,
  })
  if (from.hash === to.hash) return change('none', 0)
  if (from.document.immutable) return change('refused', 0)
  return delay === 0 || isTightening(from, to) ? change('at_once', 0) : change('delayed', delay)
}

function changeWords({ replaces, effect, delay_s }: Change): string {
  switch (effect) {
    case 'none':
      return 'Change: none. Both policies are the same.'
    case 'refused':
      return `Change: refused, because ${replaces} is immutable.`
    case 'at_once':
      return `Change: takes effect at once, and replaces ${replaces}.`
    case 'delayed':
      return `Change: takes effect ${durationWords(delay_s)} after it is set, and replaces ${replaces}. It could allow more, or count less.`
  }
}
