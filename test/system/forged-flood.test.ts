import { afterAll, beforeAll, expect, it } from 'vitest'
import { newOwner, type Owner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

/** More runs than the allowance covers. */
const FORGED = 60
const LOST_S = 4
/** Allowance per key and action (docs/decisions/0024), in addition to the time that the key has paid for. */
const ALLOWANCE_S = 60

const LOSES_TIME = `async function main() {
  await new Promise((resolve) => setTimeout(resolve, ${LOST_S * 1000}))
  throw new Error('not from the sender')
}`
const WORKS = `const main = ({ event }) => event.n`

let started: StartedStack
beforeAll(async () => {
  started = await startStack()
})
afterAll(() => started.stop())

it('flood of forged webhooks: a trigger with a throwing action does not block the runs of other triggers', async () => {
  const owner = await newOwner(started)
  const other = await newOwner(started)
  const flooded = await owner.createTrigger(LOSES_TIME, { max_runs_per_minute: 6_000 })
  const beside = await owner.createTrigger(WORKS)
  const elsewhere = await other.createTrigger(WORKS)
  const forged = Array.from({ length: FORGED }, () => owner.fire(flooded.webhook_url))
  await Promise.all(forged)

  let paidS = 0
  // Covers the same account and key, and another account, during the flood and after the allowance is exhausted.
  const othersGoOn = async () => {
    for (const [who, trigger] of [
      [owner, beside],
      [other, elsewhere],
    ] as const)
      for (const n of [1, 2, 3]) expect(await outcomeOf(who, trigger, n)).toEqual([null, n])
    paidS += 3
  }
  await othersGoOn()
  await until(180, 'the allowance is spent', async () =>
    (await owner.trigger(flooded.id)).waiting_for === 'failed_execution_allowance'
      ? true
      : undefined,
  )
  await othersGoOn()

  const runs = await until(60, 'no forged run is under way', async () => {
    const all = await owner.runs(flooded.id)
    return all.some(({ status }) => status === 'running') ? undefined : all
  })
  const failed = runs.filter(({ status }) => status === 'failed')
  expect(failed.map(({ charged_cents }) => charged_cents)).toEqual(failed.map(() => 0))
  // Each run took at least its full time. The last one may have started with less than that remaining.
  expect(failed.length * LOST_S).toBeLessThanOrEqual(ALLOWANCE_S + paidS + LOST_S)
  const waiting = runs.filter(({ status }) => status === 'queued')
  expect(waiting).toHaveLength(FORGED - failed.length)
  expect(new Set(waiting.map(({ attempt }) => attempt))).toEqual(new Set([0]))
})

/** Waits for the run of this event. @returns its error and response */
async function outcomeOf(owner: Owner, trigger: { id: string; webhook_url: string }, n: number) {
  const id = await owner.fire(trigger.webhook_url, { n })
  const run = await until(120, `run ${n} of ${trigger.id} ends`, async () => {
    const found = (await owner.runs(trigger.id)).find((one) => one.id === id)
    return found?.finished_at ? found : undefined
  })
  return [run.error, run.response]
}
