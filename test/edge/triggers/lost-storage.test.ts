/** Loss of D1, or of the storage of a trigger's object. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { parseEmail } from '../../../edge/identity/email-address.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { IndexCheck } from '../../../edge/queue/index-check.ts'
import type { TriggerState } from '../../../edge/queue/trigger-state.ts'
import type { ScannerIndex } from '../../../edge/schedule/scanner-index.ts'
import { scan } from '../../../edge/schedule/scan.ts'
import { HOUR_MS } from '../../../shared/durations.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  db,
  edge,
  env,
  fire,
  kill,
  type Owner,
  post,
  queueOf,
  random,
  runOnce,
  someOwner,
  sql,
} from '../app.ts'

const identity = { db, now: Date.now, random, settings: env }
const someEmail = () => `${crypto.randomUUID()}@example.test`
const userRow = (id: string) =>
  env.DB.prepare('SELECT id, email FROM users WHERE id = ?').bind(id).first()
const listOf = async (owner: Owner): Promise<TriggerRecord[]> =>
  (await owner.api('/api/triggers')).json()

/** Deletes all rows of a user, as if D1 had been created again. */
async function loseRows({ id }: Owner): Promise<void> {
  const tables = ['triggers WHERE owner_id', 'sessions WHERE user_id', 'agent_tokens WHERE user_id']
  await env.DB.batch(
    [...tables, 'users WHERE id'].map((rows) => env.DB.prepare(`DELETE FROM ${rows} = ?`).bind(id)),
  )
}

/** Makes the object's daily check due, and waits for its row. */
async function reindexed(id: string): Promise<void> {
  await sql(id, 'UPDATE "trigger" SET index_checked_at = 0')
  await kill(id)
  await runDurableObjectAlarm(queueOf(id))
  const row = env.DB.prepare('SELECT id FROM triggers WHERE id = ?').bind(id)
  await vi.waitUntil(async () => (await row.first()) !== null)
}

describe('a user and a trigger whose rows in D1 are lost', () => {
  it('are restored by the object and by the next sign-in, and the trigger never stops', async () => {
    const email = someEmail()
    const owner = await someOwner({ email })
    const { id } = await createTrigger(owner, { name: 'kept' })
    await loseRows(owner)
    expect((await owner.api('/api/triggers')).status).toBe(401)
    const runId = await fire(id)
    await reindexed(id)
    expect(await userRow(owner.id)).toEqual({ id: owner.id, email: owner.id })
    const again = await someOwner({ email })
    expect(again.id).toBe(owner.id)
    expect(await userRow(owner.id)).toEqual({ id: owner.id, email })
    expect(await listOf(again)).toMatchObject([{ id, name: 'kept' }])
    expect(await runOnce(again, runId)).toMatchObject({ status: 'success' })
    const renamed = { ...post('', { name: 'renamed' }).init, method: 'PATCH' }
    expect((await again.api(`/api/triggers/${id}`, renamed)).status).toBe(200)
    expect(await listOf(again)).toMatchObject([{ id, name: 'renamed' }])
  })

  it('are restored if the user signs in before the object checks its row', async () => {
    const email = someEmail()
    const owner = await someOwner({ email })
    const { id } = await createTrigger(owner)
    await loseRows(owner)
    const again = await someOwner({ email })
    expect(await listOf(again)).toEqual([])
    await reindexed(id)
    expect(await listOf(again)).toMatchObject([{ id }])
    expect(await userRow(owner.id)).toEqual({ id: owner.id, email })
  })

  it('account takeover: another address does not get the ID, and the ID is not an address', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    await loseRows(owner)
    await reindexed(id)
    const other = await someOwner()
    expect(other.id).not.toBe(owner.id)
    expect(await listOf(other)).toEqual([])
    expect(parseEmail(owner.id)).toBeUndefined()
  })
})

it('a user from before IDs were derived keeps the stored ID', async () => {
  const email = someEmail()
  const id = crypto.randomUUID()
  const row = env.DB.prepare('INSERT INTO users (id, email, created_at) VALUES (?, ?, 0)')
  await row.bind(id, email).run()
  expect(await findOrCreateUser(identity, email)).toEqual({ id, email })
})

describe('the check of an index row', () => {
  /** Checks that were made, for a trigger whose last check was at `checkedAt`. */
  async function checksAt(now: number, checkedAt: number, restoredAt: number | undefined) {
    const current = { triggerId: 't', version: 1, indexCheckedAt: checkedAt }
    const checks: string[] = []
    const check = new IndexCheck({
      state: { current, updateFields: () => {}, reindex: () => {} } as unknown as TriggerState,
      indexedVersion: async (id) => (checks.push(id), 1),
      write: async () => {},
      restoredAt: () => restoredAt,
      log: () => {},
    })
    const work: Promise<void>[] = []
    check.runDue(now, (each) => void work.push(each))
    await Promise.all(work)
    return checks.length
  }

  it.each([
    ['without a restore', undefined, 0],
    ['after a restore since the last check', 2 * HOUR_MS, 1],
    ['after a restore before the last check', HOUR_MS - 1, 0],
    ['before a restore that is announced', 4 * HOUR_MS, 0],
  ])('within a day, %s', async (_, restoredAt, expected) => {
    expect(await checksAt(3 * HOUR_MS, HOUR_MS, restoredAt)).toBe(expected)
  })
})

describe('an object that has lost its storage', () => {
  it('is an unknown trigger everywhere, and its owner creates a new one', async () => {
    const owner = await someOwner()
    const record = await createTrigger(owner, { name: 'lost', default_params: { a: 1 } })
    const { id } = record
    const runId = await fire(id)
    await runInDurableObject(queueOf(id), (_, { storage }) => storage.deleteAll())
    await kill(id)

    const webhook = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(webhook.status).toBe(404)
    expect(await webhook.json()).toMatchObject({ message: 'No webhook has this URL.' })
    for (const path of [`triggers/${id}`, `triggers/${id}/runs`, `runs/${runId}`])
      expect((await owner.api(`/api/${path}`)).status).toBe(404)
    for (const method of ['PATCH', 'DELETE']) {
      const { init } = post('', { name: 'x' })
      expect((await owner.api(`/api/triggers/${id}`, { ...init, method })).status).toBe(404)
    }
    // The list still has everything but the source and the usage key.
    const [listed] = await listOf(owner)
    expect(listed).toMatchObject({ id, name: 'lost', default_params: { a: 1 } })
    expect(await sql(id, "SELECT name FROM sqlite_master WHERE name = 'trigger'")).toEqual([])

    const { name, kind, config, options, default_params } = listed!
    const again = await createTrigger(owner, { name, kind, config, options, default_params })
    expect(again).toMatchObject({ name, options, default_params, action_cid: record.action_cid })
    expect(await runOnce(owner, await fire(again.id))).toMatchObject({ status: 'success' })
  })

  it('is reported by the scanner, which deletes its row', async () => {
    const lines: unknown[] = []
    const row = { id: 'lost', version: 1, lookAt: null }
    const noted: unknown[] = []
    const rows: Pick<ScannerIndex, 'due' | 'unchecked' | 'note' | 'recordTicks'> = {
      due: async () => [],
      unchecked: async () => [row],
      note: async (checks) => void noted.push(...checks),
      recordTicks: async () => {},
    }
    const log = (event: string, facts: object) => void lines.push([event, facts])
    const sleep = () => new Promise<void>(() => {})
    await scan({
      rows,
      reports: async () => [],
      visit: async () => undefined,
      now: Date.now,
      sleep,
      log,
    })
    expect(lines).toEqual([['scan.orphan', { trigger: 'lost' }]])
    expect(noted).toEqual([{ row, gone: true }])
  })
})
