import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SEALED_LOGS_PATH, LOGS_RUNS_MAX } from '../../../shared/wire/sealed-logs.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await keyForAllActions(origin, await origin.account())
})
afterAll(() => origin.close())

/** Prints three lines, and then waits until a response ends the run. */
const PRINTS = `async function main({ ms }) {
  for (const text of ['a', 'b', 'c']) console.log(text)
  await new Promise((done) => setTimeout(done, ms))
}`
const newRunId = () => 'T'.repeat(32) + randomBytes(12).toString('base64url')
const execute = (id: string, ms: number) =>
  executeRun(origin, {
    credential: { api_key: key },
    code: PRINTS,
    js_params: { ms },
    run: { id, attempt: 1 },
    wait_ms: 0,
  })
const logs = (runs: object[], mode?: 'base') => origin.sealed(SEALED_LOGS_PATH, { runs }, mode)
const texts = async (run_id: string, from: number) => {
  const { lines } = await logs([{ run_id, from }])
  return (lines[run_id] as { text: string }[] | undefined)?.map(({ text }) => text)
}

it('returns nothing about runs that have ended or are unknown', async () => {
  const id = newRunId()
  await execute(id, 0)
  await expect.poll(() => texts(id, 0), { timeout: 20_000 }).toBeUndefined()
  expect(await texts(newRunId(), 0)).toBeUndefined()
})

it('information disclosure: only the edge can read output', async () => {
  expect(await logs([{ run_id: newRunId(), from: 0 }], 'base')).toMatchObject({
    state: 'refused',
    status: 403,
  })
})

it.for([[], Array.from({ length: LOGS_RUNS_MAX + 1 }, () => ({ run_id: newRunId(), from: 0 }))])(
  'rejects a request with too few or too many runs',
  async (runs) => expect(await logs(runs)).toMatchObject({ state: 'refused', status: 400 }),
)

// The last test, because its run occupies an executor.
it('returns the lines of a run in progress from the given one on', async () => {
  const id = newRunId()
  expect(await execute(id, 20_000)).toEqual({ state: 'running' })
  await expect.poll(() => texts(id, 0), { timeout: 20_000 }).toEqual(['a', 'b', 'c'])
  expect(await texts(id, 2)).toEqual(['c'])
  expect(await texts(id, 3)).toEqual([])
})
