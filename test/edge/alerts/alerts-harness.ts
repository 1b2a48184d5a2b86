import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import type { Report } from '../../../edge/reports/report.ts'
import type { UserReports } from '../../../edge/reports/user-reports.ts'
import type { AlertDeliveriesResponse, IncidentsResponse } from '../../../shared/wire/alert.ts'
import { env, type Owner, post, script, someOwner } from '../app.ts'

type Mail = { recipient: string; subject: string; text: string }

export const mailsTo = async (email: string): Promise<Mail[]> => {
  const query = 'SELECT recipient, subject, text FROM local_mailbox WHERE recipient = ? ORDER BY id'
  return (await env.DB.prepare(query).bind(email).all<Mail>()).results
}

export const failing = script({
  outcome: {
    status: 'failed',
    action_cid: 'cid',
    duration_ms: 1,
    charged_cents: 0,
    logs: [],
    code: 'action_threw',
    message: 'Error: see https://phishing.example',
    stack: '',
  },
})

export async function newOwner(): Promise<Owner & { email: string }> {
  const email = `${crypto.randomUUID()}@example.test`
  return { ...(await someOwner({ email })), email }
}

export const reportsOf = (userId: string) =>
  env.USER_REPORTS.getByName(userId) as unknown as DurableObjectStub<UserReports>

export const inReports = (userId: string, query: string, ...values: unknown[]) =>
  runInDurableObject(reportsOf(userId), (_, { storage }) =>
    storage.sql.exec(query, ...values).toArray(),
  )

/** Moves all stored times into the past, as if the time had passed. */
export async function pass(userId: string, ms: number): Promise<void> {
  await inReports(
    userId,
    'UPDATE incidents SET opened_at = opened_at - ?1, last_at = last_at - ?1, resolved_at = resolved_at - ?1',
    ms,
  )
  await inReports(
    userId,
    'UPDATE alert_deliveries SET created_at = created_at - ?1, next_at = next_at - ?1, ended_at = ended_at - ?1',
    ms,
  )
  await runInDurableObject(reportsOf(userId), (_, { storage }) => storage.setAlarm(Date.now()))
  await runDurableObjectAlarm(reportsOf(userId))
}

export const incidentsOf = async (
  owner: Owner,
  query = '',
): Promise<IncidentsResponse['incidents']> => {
  const response = await owner.api(`/api/alerts/incidents${query}`)
  expect(response.status).toBe(200)
  return (await response.json<IncidentsResponse>()).incidents
}
export const deliveriesOf = async (owner: Owner) =>
  (await (await owner.api('/api/alerts/deliveries')).json<AlertDeliveriesResponse>()).deliveries

export const patch = (owner: Owner, path: string, body: object) =>
  owner.api(path, { ...post('', body).init, method: 'PATCH' })

let number = 0
export const failed = (): Report => ({
  kind: 'run_failed',
  suffix: `run-${++number}`.padEnd(16, '-'),
  queuedAt: Date.now(),
  finishedAt: Date.now(),
  attempt: 4,
  error: { code: 'action_threw', message: 'No.', frame: null },
})
export const signal = (over: object): Report => ({
  kind: 'signal',
  signal: 'trigger_held',
  state: 'open',
  code: 'payment',
  message: null,
  ...over,
})
export const report = (owner: Owner, triggerId: string, ...reports: Report[]) =>
  reportsOf(owner.id).report({
    triggerId,
    epoch: 1,
    name: `name of ${triggerId}`,
    reports: reports.map((each) => ({ number: ++number, report: each })),
  })

export const sent = (owner: { email: string }, count: number) =>
  vi.waitFor(async () => expect(await mailsTo(owner.email)).toHaveLength(count), { timeout: 5_000 })

/** Waits until all deliveries have ended. */
export const settledDeliveries = (owner: Owner) =>
  vi.waitFor(
    async () =>
      expect((await deliveriesOf(owner)).filter(({ state }) => state === 'pending')).toEqual([]),
    { timeout: 5_000 },
  )

export const openIncidents = (owner: Owner) => incidentsOf(owner, '?state=open')

export const keyCheckOf = async (owner: Owner) =>
  (await inReports(owner.id, 'SELECT started_at, is_finished, next_at FROM key_checks'))[0]

/** Waits until the check of keys that is due has finished. */
export const checked = (owner: Owner) =>
  vi.waitFor(
    async () => {
      const { is_finished, started_at } = (await keyCheckOf(owner)) ?? {}
      expect(is_finished).toBe(1)
      expect(started_at).toBeGreaterThan(0)
    },
    { timeout: 10_000 },
  )

/** Checks the keys again, as if the interval had passed. */
export async function checkAgain(owner: Owner): Promise<void> {
  await inReports(owner.id, 'UPDATE key_checks SET next_at = 0, started_at = 0')
  await pass(owner.id, 0)
  await checked(owner)
}
