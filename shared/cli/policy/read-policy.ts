import { type Policy, parsePolicy } from '../../policies/policy.ts'
import { PolicyError } from '../../policies/policy-error.ts'
import { duplicateMember } from '../../json/duplicate-member.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'

/** @throws {UsageError} with all problems of the policy, each with its path */
export async function readPolicy(cli: Cli, file: string): Promise<Policy> {
  return parsedPolicy(await cli.text(file), file)
}

/** @throws {UsageError} with all problems, each with its path */
export function parsedPolicy(text: string, name: string): Policy {
  try {
    return parsePolicy(text)
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const problems = error.problems.map(({ path, problem }) => `${path}: ${problem}`)
    throw new UsageError(`${name} is not a valid policy:\n${problems.join('\n')}`)
  }
}

/** @throws {UsageError} unless the file is JSON without duplicate members */
export async function readJson(cli: Cli, file: string): Promise<unknown> {
  const text = await cli.text(file)
  const value = tryParseJson(text)
  if (value === undefined) throw new UsageError(`${file} is not JSON`)
  const twice = duplicateMember(text)
  if (twice !== undefined) throw new UsageError(`${file}: the member ${twice} occurs twice`)
  return value
}
