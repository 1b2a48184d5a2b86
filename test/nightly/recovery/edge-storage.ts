/** Follows "Loss of D1" and "Loss of one object's storage" in docs/backup.md. */
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { createApprovedToken, signIn } from '../../../origin/stack/approved-token.ts'
import type { ListedTrigger, RunRecord } from '../../../shared/wire/trigger.ts'
import { blockWith } from '../../system/docs/documents.ts'
import { newOwner, type Owner, until } from '../../system/owner.ts'
import { type StartedStack, startStack } from '../../system/stack.ts'
import type { Figures } from '../figures.ts'
import { secondsSince } from './load.ts'

const PAGE = 'docs/backup.md'
const WEBHOOKS = 100
const ECHO = 'async function main({ event }) { return event?.n ?? null }'
const EVERY_30_S = '*/30 * * * * *'
const TICK_MS = 30_000

type Edge = { started: StartedStack; settings: Record<string, string>; owner: Owner }

async function withEdge(work: (edge: Edge) => Promise<Figures>): Promise<Figures> {
  const settings: Record<string, string> = {}
  const started = await startStack({ edgeSettings: async () => settings })
  try {
    return await work({ started, settings, owner: await newOwner(started) })
  } finally {
    await started.stop()
  }
}

/** Stops the edge, and starts it again after `work`. */
async function whileStopped({ stack }: StartedStack, work: () => void): Promise<void> {
  await stack.stopComponent('edge')
  work()
  await stack.startComponent('edge')
}

const listOf = async (started: StartedStack, token: string): Promise<Response> =>
  fetch(`${started.triggersUrl}/api/triggers`, { headers: { authorization: `Bearer ${token}` } })

export function loseD1(): Promise<Figures> {
  return withEdge(async ({ started, settings, owner }) => {
    const { triggersUrl, stateDir } = started
    const webhooks = await Promise.all(
      Array.from({ length: WEBHOOKS }, () => owner.createTrigger(ECHO)),
    )
    const schedule = await owner.createTrigger(ECHO, {
      kind: 'schedule',
      config: { cron: EVERY_30_S },
    })
    const { token } = await createApprovedToken(triggersUrl)
    expect((await listOf(started, token)).status).toBe(200)

    await whileStopped(started, () => {
      rmSync(join(stateDir, 'edge', 'storage', 'd1'), { recursive: true })
      settings['D1_RESTORED_AT'] = new Date().toISOString()
    })
    const lostAt = performance.now()
    expect((await listOf(started, token)).status).toBe(401)
    const [active, idle] = [webhooks.slice(0, WEBHOOKS / 2), webhooks.slice(WEBHOOKS / 2)]
    for (const [n, { webhook_url }] of active.entries()) await owner.fire(webhook_url, { n })
    // The owner signs in with the same address, and approves a new token.
    const again = await createApprovedToken(triggersUrl)
    const expected = [...active, schedule].map(({ id }) => id)
    const listed = async () =>
      new Set(
        ((await (await listOf(started, again.token)).json()) as ListedTrigger[]).map(
          ({ id }) => id,
        ),
      )
    const allListed = (ids: readonly string[]) =>
      until(120, 'the triggers are listed', async () => {
        const now = await listed()
        return ids.every((id) => now.has(id)) ? true : undefined
      })
    await allListed(expected)
    const seconds = secondsSince(lostAt)
    // Other alarms wake objects too.
    const before = await listed()
    const missing = idle.filter(({ id }) => !before.has(id))
    for (const { webhook_url } of missing) await owner.fire(webhook_url)
    await allListed(webhooks.map(({ id }) => id))

    // No tick of the schedule is missing.
    await sleep(TICK_MS)
    const response = await fetch(`${triggersUrl}/api/triggers/${schedule.id}/runs?limit=100`, {
      headers: { authorization: `Bearer ${again.token}` },
    })
    const { runs } = (await response.json()) as { runs: RunRecord[] }
    const times = runs.map(({ input }) => Date.parse(String(input['scheduled_at'])))
    const ticks = times.toSorted((a, b) => a - b)
    const missed = (ticks.at(-1)! - ticks[0]!) / TICK_MS + 1 - ticks.length
    return {
      'triggers listed again': webhooks.length + 1,
      'idle triggers': idle.length,
      'idle triggers that were listed only after an event': missing.length,
      'ticks of a schedule': ticks.length,
      'ticks missed while the edge was stopped': missed,
      'tokens and sessions lost': 2,
      'max seconds until active triggers are listed': seconds,
    }
  })
}

export function restoreD1(): Promise<Figures> {
  return withEdge(async ({ started, settings, owner }) => {
    const { triggersUrl, stateDir } = started
    const d1 = join(stateDir, 'edge', 'storage', 'd1')
    const copy = join(stateDir, 'd1-copy')
    const revoked = await createApprovedToken(triggersUrl)
    const changed = await owner.createTrigger(ECHO, { name: 'before' })
    await whileStopped(started, () => cpSync(d1, copy, { recursive: true }))

    await owner.api(`triggers/${changed.id}`, { name: 'after' }, 'PATCH')
    const created = await owner.createTrigger(ECHO)
    await revokeAll(triggersUrl, revoked.email)
    expect((await listOf(started, revoked.token)).status).toBe(401)

    const restore = (andThen = () => {}) =>
      whileStopped(started, () => {
        rmSync(d1, { recursive: true })
        cpSync(copy, d1, { recursive: true })
        settings['D1_RESTORED_AT'] = new Date().toISOString()
        andThen()
      })
    await restore()
    // The revocation is lost with the restored database, until the page's statements have been executed.
    expect((await listOf(started, revoked.token)).status).toBe(200)
    await restore(() => executeIn(d1, blockWith(PAGE, 'UPDATE agent_tokens')))
    expect((await listOf(started, revoked.token)).status).toBe(401)

    const restoredAt = performance.now()
    for (const { webhook_url } of [changed, created]) await owner.fire(webhook_url)
    const { token } = await createApprovedToken(triggersUrl)
    await until(60, 'the list is up to date', async () => {
      const list = (await (await listOf(started, token)).json()) as ListedTrigger[]
      const names = new Map(list.map(({ id, name }) => [id, name]))
      return names.get(changed.id) === 'after' && names.has(created.id) ? true : undefined
    })
    return {
      'revocations lost': 1,
      'max seconds until restored rows are up to date': secondsSince(restoredAt),
    }
  })
}

export function loseObject(): Promise<Figures> {
  return withEdge(async ({ started, owner }) => {
    const lost = await owner.createTrigger(ECHO, { name: 'lost', default_params: { a: 1 } })
    const other = await owner.createTrigger(ECHO)
    const runs = await Promise.all([0, 1, 2].map((n) => owner.fire(lost.webhook_url, { n })))
    await owner.allEnded(lost.id, 60)
    await whileStopped(started, () => {
      const file = fileOf(started, lost.id)
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true })
    })
    const lostAt = performance.now()
    const answer = await fetch(lost.webhook_url, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(404)
    await owner.fire(other.webhook_url, { n: 1 })

    const list: ListedTrigger[] = await owner.api('triggers')
    const { name, kind, config, options, default_params } = list.find(({ id }) => id === lost.id)!
    const fields = { name, kind, config, options, default_params }
    const again = await owner.createTrigger(ECHO, fields)
    await owner.fire(again.webhook_url, { n: 2 })
    expect(await owner.allEnded(again.id, 60)).toMatchObject([{ status: 'success', response: 2 }])
    expect(await owner.allEnded(other.id, 60)).toMatchObject([{ status: 'success' }])
    expect(started.lines.filter((line) => line.includes('alarm.failed'))).toEqual([])
    return {
      'runs of the history lost': runs.length,
      'max seconds until the new trigger executes': secondsSince(lostAt),
    }
  })
}

/** Revokes all tokens on their page. */
async function revokeAll(triggersUrl: string, email: string): Promise<void> {
  const cookie = await signIn(triggersUrl, email)
  const page = await (await fetch(`${triggersUrl}/agent/tokens`, { headers: { cookie } })).text()
  const form = page.slice(page.indexOf('value="all"'))
  const csrf = /name="csrf" value="([^"]+)"/.exec(form)![1]!
  const response = await fetch(`${triggersUrl}/agent/tokens/revoke`, {
    method: 'POST',
    headers: { origin: triggersUrl, cookie },
    body: new URLSearchParams({ token: 'all', csrf }),
    redirect: 'manual',
  })
  expect(response.status).toBe(200)
}

/** Executes statements in the file of a local D1. */
function executeIn(folder: string, statements: string): void {
  const database = new DatabaseSync(databaseFile(folder, 'agent_tokens'))
  try {
    database.exec(statements)
  } finally {
    database.close()
  }
}

function databaseFile(folder: string, table: string): string {
  const found = sqliteFiles(folder).find((file) => hasRow(file, table))
  if (found === undefined) throw new Error(`no database in ${folder} has the table ${table}`)
  return found
}

/** Database file of a trigger's object. */
function fileOf({ stateDir }: StartedStack, triggerId: string): string {
  const folder = join(stateDir, 'edge', 'storage', 'do')
  const found = sqliteFiles(folder).find((file) =>
    hasRow(file, 'trigger', `trigger_id = '${triggerId}'`),
  )
  if (found === undefined) throw new Error(`no object has the trigger ${triggerId}`)
  return found
}

function sqliteFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => join(folder, name))
}

function hasRow(file: string, table: string, condition = 'true'): boolean {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(`SELECT 1 FROM "${table}" WHERE ${condition}`).get() !== undefined
  } catch {
    return false // This database has no such table.
  } finally {
    database.close()
  }
}
