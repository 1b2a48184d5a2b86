/** Entry point of the bundle for each runtime: all cases, and a function that runs one of them. */
import { createClient, type OriginVerification } from '../../../shared/client/index.ts'
import type { Case, WorldFacts } from './case.ts'
import { accountCases } from './account-cases.ts'
import { actionCases } from './action-cases.ts'
import { chainSecuredCases } from './chain-secured-cases.ts'
import { triggerCases } from './trigger-cases.ts'
import { verificationCases } from './verification-cases.ts'

export const CASES: readonly Case[] = [
  ...accountCases,
  ...actionCases,
  ...chainSecuredCases,
  ...triggerCases,
  ...verificationCases,
]

// Shared by all cases that do not test verification: an origin issues at most 30 quotes a minute to one address.
let verification: OriginVerification | undefined

/** @returns the error message and stack; undefined if the case passes */
export async function runCase(name: string, facts: WorldFacts): Promise<string | undefined> {
  const { baseUrl, triggersUrl } = facts
  const found = CASES.find((one) => one.name === name)
  if (!found) return `there is no case "${name}"`
  try {
    const client = createClient({ baseUrl, triggersUrl, ...(verification && { verification }) })
    verification = client.verification
    await found.run(client, facts)
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
  }
}
