import { afterAll, beforeAll, expect, it } from 'vitest'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

/**
 * One test: an action that goes on so long after its sender has gone.
 *
 * @param seconds how long the action waits
 * @param originSettings for an action that waits for longer than one may by default
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
    `an action of ${seconds} s whose caller has long gone ends, and was begun once`,
    async () => {
      const trigger = await owner.createTrigger(`async function main() {
        await new Promise((resolve) => setTimeout(resolve, ${seconds * 1000}))
        return 'still here'
      }`)
      const id = await owner.fire(trigger.webhook_url)
      // Nobody asks before its end: the object has no other company than its own work.
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
