import { afterAll, beforeAll, expect, it } from 'vitest'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

/**
 * Defines one test of an action that runs longer than its sender waits.
 *
 * @param seconds duration of the action
 * @param originSettings raises the time limit for actions that exceed the default
 */
export function outlivesItsSender(
  seconds: number,
  originSettings: Record<string, string> = {},
): void {
  let started: StartedStack
  let owner: Owner
  beforeAll(async () => {
    started = await startStack({ originSettings })
    owner = await newOwner(started)
  })
  afterAll(() => started.stop())

  it(
    `finishes an action of ${seconds} s started exactly once, long after its caller disconnected`,
    async () => {
      const trigger = await owner.createTrigger(`async function main() {
        await new Promise((resolve) => setTimeout(resolve, ${seconds * 1000}))
        return 'still here'
      }`)
      const id = await owner.fire(trigger.webhook_url)
      // Does not poll before the end, so that only the object's own work keeps it active.
      await new Promise((resume) => setTimeout(resume, (seconds + 1) * 1000))
      const [run] = await owner.allEnded(trigger.id, 20)
      expect(run).toMatchObject({ id, status: 'success', response: 'still here', attempt: 1 })
      expect(
        started.lines.filter((line) => line.includes('run.started') && line.includes(id)),
      ).toHaveLength(1)
    },
    (seconds + 60) * 1000,
  )
}
