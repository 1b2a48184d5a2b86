import { afterAll, beforeAll, describe, it } from 'vitest'

import { SpecClient, World, journeys, whyOpen, type Area, type Tools } from './spec-client.ts'

export type Stack = {
  baseUrl: string
  triggersUrl: string
  /** Opens the URL signed in, and presses Authorize. */
  browser: (url: string) => Promise<void>
  fetch?: (url: string, init?: RequestInit) => Promise<Response>
  tools?: Tools
  stop: () => Promise<void>
}

/** Runs the journeys of supported areas as tests, in order. Lists the others as open. */
export function holdsToTheContract(start: () => Promise<Stack>, areas: readonly Area[]): void {
  describe('a client that knows only the specifications', () => {
    let stack: Stack
    let client: SpecClient
    let world: World

    beforeAll(async () => {
      stack = await start()
      client = new SpecClient(stack)
      world = new World(client, stack.tools)
    }, 120_000)
    afterAll(() => stack.stop())

    for (const journey of journeys) {
      const missing = whyOpen({ ...journey, tools: [] }, areas, {})
      if (missing !== undefined) {
        it.skip(`${journey.name} (open: ${missing})`, () => {})
        continue
      }
      it(journey.name, { timeout: (journey.seconds ?? 60) * 1000 }, async ({ skip }) => {
        const lacking = whyOpen(journey, areas, world.tools)
        if (lacking !== undefined) skip(`open: ${lacking}`)
        await journey.run(client, world)
      })
    }
  })
}
