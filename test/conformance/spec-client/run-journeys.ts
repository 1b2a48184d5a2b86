import type { Area } from '../areas.ts'
import type { SpecClient } from './client.ts'
import { accounts } from './journeys/accounts.ts'
import { actions } from './journeys/actions.ts'
import { attestation } from './journeys/attestation.ts'
import { billing } from './journeys/billing.ts'
import { chainEvents } from './journeys/chain-events.ts'
import { chainSecured } from './journeys/chain-secured.ts'
import { errors } from './journeys/errors.ts'
import { schedules } from './journeys/schedules.ts'
import { triggers } from './journeys/triggers.ts'
import { webhooks } from './journeys/webhooks.ts'
import { World, whyOpen, type Journey, type Tools } from './world.ts'

/** All journeys in order: accounts first, then triggers. */
export const journeys: readonly Journey[] = [
  ...accounts,
  ...actions,
  ...errors,
  ...triggers,
  ...webhooks,
  ...schedules,
  ...chainEvents,
  ...billing,
  ...chainSecured,
  ...attestation,
]

export type JourneyResult =
  | { name: string; outcome: 'passed' }
  | { name: string; outcome: 'failed'; error: unknown }
  | { name: string; outcome: 'open'; missing: string }

/** Runs the journeys with supported areas in order. Reports the others as open, with the areas or tools they need. */
export async function runJourneys(
  client: SpecClient,
  { areas, tools = {} }: { areas: readonly Area[]; tools?: Tools },
): Promise<JourneyResult[]> {
  const world = new World(client, tools)
  const results: JourneyResult[] = []
  for (const journey of journeys) {
    results.push(await outcomeOf(journey, client, world, areas))
  }
  return results
}

async function outcomeOf(
  journey: Journey,
  client: SpecClient,
  world: World,
  areas: readonly Area[],
): Promise<JourneyResult> {
  const { name } = journey
  const missing = whyOpen(journey, areas, world.tools)
  if (missing !== undefined) return { name, outcome: 'open', missing }
  try {
    await journey.run(client, world)
    return { name, outcome: 'passed' }
  } catch (error) {
    return { name, outcome: 'failed', error }
  }
}
