import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import type { UserReports } from '../../../edge/reports/user-reports.ts'
import type { FailedRun } from '../../../shared/wire/failed-runs.ts'
import type { ReplayRecord } from '../../../shared/wire/replays.ts'
import { createTrigger, env, fire, type Owner, post, script, sql } from '../app.ts'

export const reportsOf = (owner: Owner) =>
  env.USER_REPORTS.getByName(owner.id) as unknown as DurableObjectStub<UserReports>

/** Source of an action that throws `message`. */
export const throwing = (message: string) =>
  script({
    outcome: {
      status: 'failed',
      action_cid: 'cid',
      duration_ms: 1,
      charged_cents: 0,
      logs: [],
      code: 'action_threw',
      message,
      stack: `${message}\n    at main (action.js:3:9)`,
    },
  })

export async function get<Body>(owner: Owner, path: string): Promise<Body> {
  const response = await owner.api(path)
  expect(response.status).toBe(200)
  return response.json()
}

export async function failedRuns(owner: Owner, query = ''): Promise<FailedRun[]> {
  const page = await get<{ failed_runs: FailedRun[] }>(owner, `/api/failed-runs?limit=100${query}`)
  return page.failed_runs
}

/** Waits until this number of failed runs was reported. @param query such as `&trigger_id=…` */
export async function untilFailed(owner: Owner, count: number, query = ''): Promise<FailedRun[]> {
  return vi.waitUntil(
    async () => {
      const runs = await failedRuns(owner, query)
      return runs.length === count && runs
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** Creates a trigger whose events fail, and fires it. @returns the trigger's ID */
export async function failTimes(owner: Owner, count: number, over: object = {}): Promise<string> {
  const { id } = await createTrigger(owner, { action_code: throwing('Error: No price.'), ...over })
  for (let n = 0; n < count; n++) await fire(id, JSON.stringify({ n }))
  // Replays of other triggers of this owner may fail in the meantime.
  await untilFailed(owner, count, `&trigger_id=${id}`)
  return id
}

export async function patch(owner: Owner, id: string, over: object): Promise<void> {
  const init = { ...post('', over).init, method: 'PATCH' }
  expect((await owner.api(`/api/triggers/${id}`, init)).status).toBe(200)
}

export function send(
  owner: Owner,
  path: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const { init } = post(path, body)
  return owner.api(path, { ...init, headers: { ...init.headers, ...headers } })
}

export async function startReplay(owner: Owner, body: object): Promise<ReplayRecord> {
  const response = await send(owner, '/api/replays', body)
  const replay: ReplayRecord = await response.json()
  expect(response.status).toBe(202)
  expect(response.headers.get('location')).toBe(`/api/replays/${replay.id}`)
  return replay
}

export const readReplay = (owner: Owner, id: string) =>
  get<ReplayRecord>(owner, `/api/replays/${id}`)

export async function untilReplay(
  owner: Owner,
  id: string,
  wanted: (replay: ReplayRecord) => boolean = (replay) => replay.finished_at !== null,
): Promise<ReplayRecord> {
  return vi.waitUntil(
    async () => {
      const replay = await readReplay(owner, id)
      return wanted(replay) && replay
    },
    { timeout: 20_000, interval: 20 },
  )
}

/** Sends the next batch without waiting for the rate limit or for room in a queue. */
export async function sendNext(owner: Owner): Promise<void> {
  await inReports(owner, 'UPDATE replays SET next_at = 0')
  await inReports(owner, 'UPDATE replay_batches SET not_before = 0')
  await runDurableObjectAlarm(reportsOf(owner))
}

export function inReports(owner: Owner, query: string, ...values: unknown[]) {
  return runInDurableObject(reportsOf(owner), (_, { storage }) =>
    storage.sql.exec<Record<string, SqlStorageValue>>(query, ...values).toArray(),
  )
}

/** Aborts the object of the user as a crash would. */
export async function crash(owner: Owner): Promise<void> {
  await runInDurableObject(reportsOf(owner), (_, state) => state.abort('killed')).catch(() => {})
}

/** Returns the IDs of the replayed runs of a trigger, one for each replay. */
export async function replayedRuns(triggerId: string): Promise<string[]> {
  const query = 'SELECT replay_of AS run FROM runs WHERE replay_of IS NOT NULL ORDER BY replay_of'
  return (await sql<{ run: string }>(triggerId, query)).map(({ run }) => run)
}
