import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { RUN_SEARCH_MAX_RUNS } from '../../../shared/limits.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  CID,
  createTrigger,
  fire,
  type Owner,
  queueOf,
  runOnce,
  script,
  someOwner,
} from '../app.ts'
import { seed } from '../queue/seeded.ts'

type Page = { runs: RunRecord[]; next_cursor: string | null }

const owner: Owner = await someOwner()

async function pageOf(id: string, query: Record<string, string>): Promise<Page> {
  const response = await owner.api(
    `/api/triggers/${id}/runs?${new URLSearchParams(query).toString()}`,
  )
  expect(response.status).toBe(200)
  return response.json()
}

async function found(id: string, query: Record<string, string>): Promise<string[]> {
  return (await pageOf(id, query)).runs.map((run) => run.id)
}

describe('by text of the error', () => {
  const ended = { action_cid: CID, duration_ms: 1, logs: [], charged_cents: 0 }
  const failed = { status: 'failed' as const, ...ended, code: 'action_threw' as const }
  const message = 'Upstream TIMEOUT after 5 s'
  const failing = script({ outcome: { ...failed, message, stack: `Error: ${message}` } })

  it('finds failed runs in any case, and no run with another error', async () => {
    const { id } = await createTrigger(owner, { action_code: failing })
    const run = await runOnce(owner, await fire(id))
    expect(await found(id, { error: 'timeout after' })).toEqual([run.id])
    expect(await found(id, { error: 'timeout', status: 'failed' })).toEqual([run.id])
    expect(await found(id, { error: 'timeout before' })).toEqual([])
  })

  it('finds an error whose result is stored outside of the run', async () => {
    const { id } = await createTrigger(owner, { action_code: failing })
    const run = await runOnce(owner, await fire(id))
    await runInDurableObject(queueOf(id), (_, { storage: { sql } }) => {
      sql.exec('INSERT INTO results SELECT sequence, result FROM runs')
      sql.exec('UPDATE runs SET result = NULL')
    })
    expect(await found(id, { error: 'timeout' })).toEqual([run.id])
  })
})

describe('by header', () => {
  it('finds runs whose header has exactly this value', async () => {
    const { id } = await createTrigger(owner)
    const push = await fire(id, '{}', { headers: { 'x-github-event': 'push: now' } })
    await fire(id, '{}', { headers: { 'x-github-event': 'ping' } })
    await fire(id)
    expect(await found(id, { header: 'X-GitHub-Event: push: now' })).toEqual([push])
    expect(await found(id, { header: 'x-github-event:push' })).toEqual([])
  })

  it('secret guessing: a masked header matches neither its value nor a part of it', async () => {
    const { id } = await createTrigger(owner)
    await fire(id, '{}', { headers: { 'x-gitlab-token': 'canary' } })
    expect(await found(id, { header: 'x-gitlab-token:canary' })).toEqual([])
    expect(await found(id, { param: 'headers.x-gitlab-token=canary' })).toEqual([])
  })
})

describe('by param', () => {
  it('compares strings as they are, other scalars by their JSON text, and no objects', async () => {
    const { id } = await createTrigger(owner, { default_params: { region: 'eu' } })
    const event = { customer: { id: 42, tags: ['a', 'b'] }, paid: true, note: null, text: '42' }
    const json = { headers: { 'content-type': 'application/json' } }
    const run = await fire(id, JSON.stringify(event), json)
    await fire(id, JSON.stringify({ customer: { id: 43 } }), json)
    for (const param of [
      'event.customer.id=42',
      'event.customer.tags.1=b',
      'event.paid=true',
      'event.note=null',
      'event.text=42',
    ])
      expect(await found(id, { param }), param).toEqual([run])
    expect(await found(id, { param: 'region=eu' })).toHaveLength(2)
    for (const param of [
      'event.customer={"id":42}',
      'event.customer.id=042',
      'event.missing=',
      'event.customer.__proto__.id=42',
    ])
      expect(await found(id, { param }), param).toEqual([])
  })

  it('combines a param with a status and times', async () => {
    const { id } = await createTrigger(owner)
    const run = await runOnce(owner, await fire(id, '{"a":1}'))
    const query = { param: 'event.a=1', since: run.queued_at }
    expect(await found(id, { ...query, status: 'success' })).toEqual([run.id])
    expect(await found(id, { ...query, status: 'failed' })).toEqual([])
    expect(await found(id, { param: 'event.a=1', until: run.queued_at })).toEqual([])
  })
})

it('continues with next_cursor, and reads a limited number of runs per request', async () => {
  const { id } = await createTrigger(owner)
  const oldest = await runOnce(owner, await fire(id, '{"wanted":1}'))
  await runInDurableObject(queueOf(id), (_, { storage: { sql } }) => {
    seed(sql, { count: RUN_SEARCH_MAX_RUNS + 100, queuedAt: Date.parse(oldest.queued_at) })
  })
  const first = await pageOf(id, { param: 'event.wanted=1' })
  expect(first.runs).toEqual([])
  const second = await pageOf(id, { param: 'event.wanted=1', cursor: first.next_cursor! })
  expect(second.runs.map((run) => run.id)).toEqual([oldest.id])
  expect(second.next_cursor).toBeNull()
})

it('resource exhaustion: a page ends when the bodies that were read exceed the limit', async () => {
  const { id } = await createTrigger(owner)
  await runInDurableObject(queueOf(id), (_, { storage: { sql } }) => {
    seed(sql, { count: 12, bodyBytes: 1024 * 1024 })
  })
  const pages: Page[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const at: Record<string, string> = cursor === '' ? {} : { cursor }
    const page: Page = await pageOf(id, { param: 'event.wanted=1', ...at })
    pages.push(page)
    cursor = page.next_cursor
  }
  expect(pages).toHaveLength(3)
})

it('fills pages of the requested size with matching runs only', async () => {
  const { id } = await createTrigger(owner)
  const wanted: string[] = []
  for (let n = 0; n < 6; n++) {
    const run = await fire(id, JSON.stringify({ even: n % 2 === 0 }))
    if (n % 2 === 0) wanted.unshift(run)
  }
  const first = await pageOf(id, { param: 'event.even=true', limit: '2' })
  expect(first.runs.map((run) => run.id)).toEqual(wanted.slice(0, 2))
  const cursor = first.next_cursor!
  expect(await found(id, { param: 'event.even=true', limit: '2', cursor })).toEqual(wanted.slice(2))
})
