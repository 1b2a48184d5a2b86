import { BY_OPERATOR } from '../../../edge/audit-log/trigger-change.ts'
import { describe, expect, it, vi } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { createTrigger as createStoredTrigger } from '../../../edge/triggers/create-trigger.ts'
import { listTriggers } from '../../../edge/triggers/trigger-index.ts'
import { LISTED_PARAMS_MAX_BYTES, TRIGGERS_MAX } from '../../../shared/limits.ts'
import { createTriggerRequest, type ListedTrigger } from '../../../shared/wire/trigger.ts'
import { createTrigger, db, env, type Owner, post, random, someOwner, webhook } from '../app.ts'

const owner: Owner = await someOwner()

type Page = { triggers: ListedTrigger[]; total: string | null; next: string | undefined }
const list = async (query = '', of: Owner = owner): Promise<Page> => {
  const response = await of.api(`/api/triggers${query}`)
  expect(response.status).toBe(200)
  const link = response.headers.get('link')
  return {
    triggers: await response.json(),
    total: response.headers.get('x-total-count'),
    next: link === null ? undefined : /^<(.*)>; rel="next"$/.exec(link)![1],
  }
}
const ids = ({ triggers }: { triggers: { id: string }[] }) => triggers.map(({ id }) => id)

/** Inserts rows as objects would have written them, several per millisecond. */
async function rows(of: Owner, count: number, over: object = {}): Promise<string[]> {
  const template = await createTrigger(of, over)
  await env.DB.prepare('DELETE FROM triggers WHERE id = ?').bind(template.id).run()
  const { action_code: _, waiting_for: __, stats: ___, ...record } = template
  const made = Array.from({ length: count }, (_row, n) => {
    const id = `${String(n).padStart(8, '0')}${of.id}`.slice(0, 32)
    const created = 1_000_000 + Math.floor(n / 3)
    return { id, created, text: JSON.stringify({ ...record, id, enabled: n % 2 === 0 }) }
  })
  const insert = env.DB.prepare(
    'INSERT INTO triggers (id, owner_id, kind, record, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 1)',
  )
  for (let at = 0; at < made.length; at += 100)
    await env.DB.batch(
      made
        .slice(at, at + 100)
        .map(({ id, created, text }) => insert.bind(id, of.id, record.kind, text, created)),
    )
  return made.map(({ id }) => id).toReversed()
}

const paged = await someOwner()
const all = await rows(paged, 25)

describe('GET /api/triggers', () => {
  it('returns an array of all triggers of the caller, newest first, with their number', async () => {
    await rows(owner, 3)
    const page = await list('', paged)
    expect(ids(page)).toEqual(all)
    expect(page).toMatchObject({ total: '25', next: undefined })
  })

  it('links to the next page and lists each trigger once while others change', async () => {
    const found: string[] = []
    let next: string | undefined = '?limit=10'
    while (next !== undefined) {
      const page: Page = await list(next.replace(/^[^?]*/, ''), paged)
      expect(page.total).toBe('25')
      found.push(...ids(page))
      next = page.next
      if (next !== undefined) expect(next).toMatch(/^https:\/\/edge\.test\/api\/triggers\?/)
      if (found.length === 10) await env.DB.prepare('UPDATE triggers SET updated_at = 2').run()
    }
    expect(found).toEqual(all)
  })

  it('has no next page after an exactly full last page', async () => {
    expect((await list('?limit=25', paged)).next).toBeUndefined()
    expect((await list('?limit=24', paged)).next).toBeDefined()
  })

  it('clamps limit to the range 1 to 200', async () => {
    expect((await list('?limit=0', paged)).triggers).toHaveLength(1)
    expect((await list('?limit=-5', paged)).triggers).toHaveLength(1)
    expect((await list('?limit=100000', paged)).triggers).toHaveLength(25)
  })

  it('filters by kind and enabled, including the link and the count', async () => {
    const page = await list('?enabled=true&limit=5', paged)
    expect(page.total).toBe('13')
    expect(page.next).toContain('enabled=true')
    expect(page.triggers.every(({ enabled }) => enabled)).toBe(true)
    expect((await list('?enabled=false', paged)).triggers).toHaveLength(12)
    expect((await list('?kind=webhook&enabled=false', paged)).total).toBe('12')
    expect((await list('?kind=schedule', paged)).triggers).toEqual([])
  })

  it.each([
    ['limit', '?limit=ten'],
    ['limit', '?limit=1.5'],
    ['limit', '?limit='],
    ['kind', '?kind=cron'],
    ['enabled', '?enabled=yes'],
    ['cursor', '?cursor='],
    ['cursor', '?cursor=%00'],
    ['cursor', `?cursor=${'A'.repeat(100)}`],
    ['cursor', `?cursor=${btoa('{"a":1}').replaceAll('=', '')}`],
    ['cursor', `?cursor=${btoa('[1.5,"x"]').replaceAll('=', '')}`],
  ])('returns 422 and names %s: %s', async (field, query) => {
    const response = await owner.api(`/api/triggers${query}`)
    expect(response.status).toBe(422)
    expect((await response.json<{ message: string }>()).message).toContain(field)
  })

  it('foreign cursor: is only a position, and reveals no foreign trigger', async () => {
    const { next } = await list('?limit=5', paged)
    const mine = await someOwner()
    const { id } = await createTrigger(mine)
    await env.DB.prepare('UPDATE triggers SET created_at = 1 WHERE id = ?').bind(id).run()
    const cursor = new URL(next!).searchParams.get('cursor')
    expect(ids(await list(`?cursor=${cursor}`, mine))).toEqual([id])
  })

  it('lists a change immediately', async () => {
    const mine = await someOwner()
    const { id } = await createTrigger(mine)
    const init = { ...post('', { enabled: false, name: 'changed' }).init, method: 'PATCH' }
    await mine.api(`/api/triggers/${id}`, init)
    expect((await list('', mine)).triggers).toMatchObject([{ id, enabled: false, name: 'changed' }])
  })

  it('includes default_params of up to 8 KiB; larger ones are only in the trigger’s record', async () => {
    const mine = await someOwner()
    const of = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
    const small = of(LISTED_PARAMS_MAX_BYTES)
    const large = of(LISTED_PARAMS_MAX_BYTES + 1)
    await createTrigger(mine, { name: 'small', default_params: small })
    const { id } = await createTrigger(mine, { name: 'large', default_params: large })
    const { triggers } = await list('', mine)
    const named = (name: string) => triggers.find((trigger) => trigger.name === name)
    expect(named('small')).toMatchObject({ default_params: small })
    expect(named('small')).not.toHaveProperty('default_params_omitted')
    expect(named('large')).toMatchObject({ default_params: null, default_params_omitted: true })
    expect(await (await mine.api(`/api/triggers/${id}`)).json()).toMatchObject({
      default_params: large,
    })
  })

  it('computes the next run of a schedule instead of returning a past one from its row', async () => {
    const mine = await someOwner()
    const { id } = await createTrigger(mine, { kind: 'schedule', config: { cron: '0 0 1 1 *' } })
    await env.DB.prepare(
      "UPDATE triggers SET record = json_set(record, '$.next_run_at', '2020-01-01T00:00:00.000Z') WHERE id = ?",
    )
      .bind(id)
      .run()
    const [listed] = (await list('', mine)).triggers
    const record: ListedTrigger = await (await mine.api(`/api/triggers/${id}`)).json()
    expect(listed!.next_run_at).toBe(record.next_run_at)
  })
})

describe('an account with very many triggers', () => {
  it('may have a thousand, and must delete some to create more', async () => {
    const mine = await someOwner()
    await rows(mine, TRIGGERS_MAX - 1)
    const { path, init } = post('/api/triggers', webhook())
    const last = await mine.api(path, init)
    expect(last.status).toBe(201)
    const refused = await mine.api(path, init)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      error: 'too_many_triggers',
      message: expect.stringContaining(String(TRIGGERS_MAX)),
    })
    expect((await list('', mine)).triggers).toHaveLength(TRIGGERS_MAX)
    const { id }: { id: string } = await last.json()
    await mine.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect((await mine.api(path, init)).status).toBe(201)
  })
})

it('storage exhaustion: refuses new triggers before the database is full', async () => {
  const mine = await someOwner()
  const body = createTriggerRequest.parse(webhook())
  const create = (indexBytesMax?: number) =>
    createStoredTrigger(
      env,
      {
        ownerId: mine.id,
        by: BY_OPERATOR,
        db,
        settings: settingsOf(env),
        now: Date.now,
        random,
        ...(indexBytesMax !== undefined && { indexBytesMax }),
      },
      body,
    )
  const error: unknown = await create(1).catch((reason: unknown) => reason)
  const { status, message } = toApiError(error)
  expect([status, message]).toEqual([503, expect.stringContaining('no space left')])
  expect(await create()).toMatchObject({ kind: 'webhook' })
})

describe('list queries', () => {
  it.each([
    ['all', {}],
    ['a page', { limit: 10 }],
    ['a later page', { limit: 10, after: { createdAt: 1_000_004, id: 'x' } }],
    ['filtered', { limit: 10, kind: 'webhook' as const, enabled: true }],
  ])('read %s by the owner index without sorting', async (_, query) => {
    const prepare = vi.spyOn(env.DB, 'prepare')
    await listTriggers(db, 0, paged.id, query)
    const statements = prepare.mock.calls.map(([text]) => text)
    prepare.mockRestore()
    expect(statements).toHaveLength(2)
    for (const statement of statements) {
      const values = [...statement.matchAll(/\?/g)].map(() => 1)
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .bind(...values)
        .all<{ detail: string }>()
      const steps = plan.results.map(({ detail }) => detail)
      expect(steps).toHaveLength(1)
      expect(steps[0]).toMatch(
        /^SEARCH triggers USING (COVERING )?INDEX triggers_owner \(owner_id=\?/,
      )
    }
  })
})
