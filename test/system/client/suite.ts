/** What is bundled for each runtime: all cases, and how one of them is run. */
import { createClient } from '../../../shared/client/index.ts'
import type { Case, WorldFacts } from './case.ts'
import { accountCases } from './account-cases.ts'
import { actionCases } from './action-cases.ts'
import { triggerCases } from './trigger-cases.ts'
import { verificationCases } from './verification-cases.ts'

export const CASES: readonly Case[] = [
  ...accountCases,
  ...actionCases,
  ...triggerCases,
  ...verificationCases,
]

/** @returns what went wrong, with its stack; nothing where the case holds */
export async function runCase(name: string, facts: WorldFacts): Promise<string | undefined> {
  const { baseUrl, triggersUrl } = facts
  const found = CASES.find((one) => one.name === name)
  if (!found) return `there is no case "${name}"`
  try {
    await found.run(createClient({ baseUrl, triggersUrl }), facts)
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
  }
}
