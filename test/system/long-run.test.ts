import { afterAll, beforeAll, expect, it } from 'vitest'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
let owner: Owner
beforeAll(async () => {
  started = await startStack({ SVC_EXECUTION_WALL_MS: '180000' })
  owner = await newOwner(started)
})
afterAll(() => started.stop())

it('an action of 120 s whose caller has long gone ends, and was begun once', async () => {
  // Longer than an object stays in memory after its last request: only the object's own work keeps it there.
  const trigger = await owner.createTrigger(`async function main() {
    await new Promise((resolve) => setTimeout(resolve, 120000))
    return 'still here'
  }`)
  const id = await owner.fire(trigger.webhook_url)
  await new Promise((resume) => setTimeout(resume, 121_000))
  const [run] = await owner.allEnded(trigger.id, 20)
  expect(run).toMatchObject({ id, status: 'success', response: 'still here', attempt: 1 })
  expect(
    started.lines.filter((line) => line.includes('run.started') && line.includes(id)),
  ).toHaveLength(1)
}, 180_000)
