import { afterAll, beforeAll, describe, it } from 'vitest'
import { journeys, SpecClient, World } from '../conformance/spec-client.ts'
import { type StartedStack, startStack } from './stack.ts'

/** Journeys for a node that grants no starter credits. */
describe('a node without starter credits', () => {
  let started: StartedStack
  beforeAll(async () => {
    started = await startStack({ originSettings: { SVC_STARTER_CREDITS_CENTS: '0' } })
  })
  afterAll(() => started.stop())

  const these = journeys.filter(({ needs }) => needs.includes('no-starter-credits'))
  for (const journey of these)
    it(journey.name, async () => {
      const client = new SpecClient(started)
      await journey.run(client, new World(client))
    })
})
