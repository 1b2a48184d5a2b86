import type { Cli } from '../cli.ts'
import type { Command } from 'commander'
import { describePolicy } from '../../policies/describe-policy.ts'
import { type Policy, parsePolicy } from '../../policies/policy.ts'
import { PolicyError } from '../../policies/policy-error.ts'
import { printable, UsageError } from '../terminal.ts'

/** @throws {UsageError} if the policy is invalid */
export async function checkPolicy(cli: Cli, command: Command, file: string): Promise<void> {
  const { hash, canonical, document } = parsedPolicy(await cli.text(file), file)
  const { rules, sums, general, warnings } = describePolicy(document)
  const result = { hash, canonical, rules, sums, general, warnings }
  cli.print(command, result, () => [
    `hash  ${hash}`,
    '',
    ...rules.map((rule, index) => `${index + 1}. ${printable(rule)}.`),
    ...(sums.length === 0 ? [] : ['', 'Sums:', ...sums.map((sum) => `- ${printable(sum)}.`)]),
    '',
    ...general,
    ...warnings.map((warning) => `Warning: ${printable(warning)}`),
  ])
}

/** @throws {UsageError} with all problems, each with its path */
export function parsedPolicy(text: string, file: string): Policy {
  try {
    return parsePolicy(text)
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const problems = error.problems.map(({ path, problem }) => `${path}: ${problem}`)
    throw new UsageError(`${file} is not a valid policy:\n${problems.join('\n')}`)
  }
}
