import { describe, expect, it } from 'vitest'
import { createAction, saveVersion } from '../../../edge/action-library/change-actions.ts'
import { LibraryFullError } from '../../../edge/action-library/library-full-error.ts'
import { eraseUser } from '../../../edge/operator/erase-user.ts'
import { IndexFullError } from '../../../edge/triggers/index-full-error.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import type {
  ActionVersion,
  LibraryAction,
  ListedAction,
  SavedVersion,
} from '../../../shared/wire/action-library.ts'
import {
  createTrigger,
  db,
  env,
  type Owner,
  post,
  random,
  script,
  someOwner,
  success,
} from '../app.ts'

const SOURCES = [1, 2, 3].map((n) => `const main = () => ${n}`) as [string, string, string]

async function send<Body>(owner: Owner, method: string, path: string, body?: object) {
  const init = body ? { ...post('', body).init, method } : { method }
  const response = await owner.api(path, init)
  const text = await response.text()
  return { status: response.status, body: (text ? JSON.parse(text) : undefined) as Body, response }
}

const add = async (owner: Owner, body: object = {}) =>
  (
    await send<LibraryAction>(owner, 'POST', '/api/actions', {
      name: 'a',
      source: SOURCES[0],
      ...body,
    })
  ).body
const save = (owner: Owner, id: string, source: string, note?: string) =>
  send<SavedVersion>(owner, 'POST', `/api/actions/${id}/versions`, {
    source,
    ...(note && { note }),
  })
const versionsOf = async (owner: Owner, id: string) =>
  (await send<{ versions: ActionVersion[] }>(owner, 'GET', `/api/actions/${id}/versions`)).body
    .versions
const listOf = async (owner: Owner) =>
  (await send<{ actions: ListedAction[] }>(owner, 'GET', '/api/actions')).body.actions

describe('the action library', () => {
  it('keeps each version with its CID, note and author', async () => {
    const owner = await someOwner()
    const {
      status,
      body: action,
      response,
    } = await send<LibraryAction>(owner, 'POST', '/api/actions', {
      name: 'payments',
      source: SOURCES[0],
      note: 'first',
    })
    expect(status).toBe(201)
    expect(response.headers.get('location')).toBe(`/api/actions/${action.id}`)
    expect(action).toEqual({
      id: expect.stringMatching(/^actn_[\w-]{22}$/),
      name: 'payments',
      current_version: 1,
      cid: await actionCid(SOURCES[0]),
      versions: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      source: SOURCES[0],
      triggers: [],
    })
    expect((await save(owner, action.id, SOURCES[1])).body).toMatchObject({
      number: 2,
      cid: await actionCid(SOURCES[1]),
      bytes: SOURCES[1].length,
      note: null,
      created: true,
      created_by: { kind: 'agent_token', id: expect.any(String) },
    })
    expect((await versionsOf(owner, action.id)).map(({ number, note }) => [number, note])).toEqual([
      [2, null],
      [1, 'first'],
    ])
    expect(await listOf(owner)).toMatchObject([{ id: action.id, current_version: 2, versions: 2 }])
    const path = `/api/actions/${action.id}/versions`
    expect((await send(owner, 'GET', `${path}/1`)).body).toMatchObject({ source: SOURCES[0] })
    for (const number of ['3', '0', '-1', '1.5', 'x', '01', '9'.repeat(30)])
      expect((await send(owner, 'GET', `${path}/${number}`)).status).toBe(404)
  })

  it('adds no version for the current source, and says so', async () => {
    const owner = await someOwner()
    const { id } = await add(owner)
    const again = await save(owner, id, SOURCES[0])
    expect([again.status, again.body]).toEqual([
      200,
      expect.objectContaining({ number: 1, created: false }),
    ])
    expect(await versionsOf(owner, id)).toHaveLength(1)
  })

  it('can make an earlier version the current one, and rename an action', async () => {
    const owner = await someOwner()
    const { id } = await add(owner)
    await save(owner, id, SOURCES[1])
    const back = await send<LibraryAction>(owner, 'PATCH', `/api/actions/${id}`, {
      current_version: 1,
      name: 'b',
    })
    expect(back.body).toMatchObject({
      name: 'b',
      current_version: 1,
      source: SOURCES[0],
      versions: 2,
    })
    // Numbers continue after the highest one.
    expect((await save(owner, id, SOURCES[2])).body).toMatchObject({ number: 3, created: true })
    const unknown = await send(owner, 'PATCH', `/api/actions/${id}`, {
      name: 'c',
      current_version: 9,
    })
    expect(unknown.status).toBe(404)
    expect(await listOf(owner)).toMatchObject([{ name: 'b', current_version: 3 }])
  })

  it('deletes versions that are not current, and never uses a number again', async () => {
    const owner = await someOwner()
    const { id } = await add(owner)
    await save(owner, id, SOURCES[1])
    const remove = async (path: string) => (await send(owner, 'DELETE', path)).status
    expect(await remove(`/api/actions/${id}/versions/2`)).toBe(404)
    await send(owner, 'PATCH', `/api/actions/${id}`, { current_version: 1 })
    expect(await remove(`/api/actions/${id}/versions/2`)).toBe(204)
    expect((await save(owner, id, SOURCES[1])).body.number).toBe(3)
    expect(await remove(`/api/actions/${id}`)).toBe(204)
    expect(await remove(`/api/actions/${id}`)).toBe(404)
    expect(await listOf(owner)).toEqual([])
  })

  it('shows which triggers run which version', async () => {
    const owner = await someOwner()
    const source = script(success())
    const { id } = await add(owner, { source })
    const trigger = await createTrigger(owner, { name: 'runs it', action_code: source })
    await createTrigger(owner, { action_code: script(success('other')) })
    await createTrigger(await someOwner(), { action_code: source })
    await save(owner, id, SOURCES[1])
    const { body } = await send<LibraryAction>(owner, 'GET', `/api/actions/${id}`)
    expect(body.triggers).toEqual([{ id: trigger.id, name: 'runs it', enabled: true, version: 1 }])
  })

  it('numbers versions of concurrent requests', async () => {
    const owner = await someOwner()
    const { id } = await add(owner)
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, n) => save(owner, id, `const main = () => 'n${n}'`)),
    )
    expect(saved.map(({ status }) => status)).toEqual(saved.map(() => 200))
    expect((await versionsOf(owner, id)).map(({ number }) => number)).toEqual([
      9, 8, 7, 6, 5, 4, 3, 2, 1,
    ])
  })

  it.each([
    ['source', { source: 'function main( {' }],
    ['source', { source: '' }],
    ['source', { source: `//${'x'.repeat(TRIGGER_SOURCE_MAX_BYTES)}` }],
    ['name', { name: '' }],
    ['name', { name: 'n'.repeat(201) }],
    ['note', { note: 'n'.repeat(501) }],
    ['cid', { cid: 'Qm' }],
  ])('returns 422 and names %s for an invalid action, and stores nothing', async (field, body) => {
    const owner = await someOwner()
    const refused = await send<{ message: string }>(owner, 'POST', '/api/actions', {
      name: 'a',
      source: SOURCES[0],
      ...body,
    })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toContain(field)
    expect(await listOf(owner)).toEqual([])
  })

  it('returns the position of a syntax error in a new version', async () => {
    const owner = await someOwner()
    const { id } = await add(owner)
    const refused = await save(owner, id, 'function main() {\n  let 1\n}')
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ reason: 'source_does_not_compile', line: 2, column: 7 })
    expect(await versionsOf(owner, id)).toHaveLength(1)
  })
})

describe('attacks on the action library', () => {
  it('foreign action: another user can neither read nor change it, and learns nothing', async () => {
    const [victim, mallory] = [await someOwner(), await someOwner()]
    const { id } = await add(victim)
    await save(victim, id, SOURCES[1])
    const before = [await listOf(victim), await versionsOf(victim, id)]
    const unknown = `actn_${'A'.repeat(22)}`
    const probes: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'taken' }],
      ['PATCH', '', { current_version: 1 }],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['POST', '/versions', { source: SOURCES[2] }],
      ['GET', '/versions/1'],
      ['DELETE', '/versions/1'],
    ]
    for (const [method, path, body] of probes) {
      const [foreign, none] = [
        await send(mallory, method, `/api/actions/${id}${path}`, body),
        await send(mallory, method, `/api/actions/${unknown}${path}`, body),
      ]
      expect([method, path, foreign.status]).toEqual([method, path, 404])
      expect(foreign.body).toEqual(none.body)
    }
    expect([await listOf(victim), await versionsOf(victim, id)]).toEqual(before)
    expect(await listOf(mallory)).toEqual([])
  })

  it('scope escalation: a token that can only read cannot change the library', async () => {
    const reader = await someOwner({ scopes: ['triggers:read'] })
    const refused = await send<{ reason: string }>(reader, 'POST', '/api/actions', {
      name: 'a',
      source: SOURCES[0],
    })
    expect([refused.status, refused.body.reason]).toEqual([403, 'insufficient_scope'])
  })

  it('flood: actions, versions, bytes of a user and bytes of the database are limited', async () => {
    const owner = await someOwner()
    const by = {
      actor: { kind: 'session', id: null },
      actorName: null,
      clientAddress: null,
    } as const
    const context = { db, ownerId: owner.id, now: Date.now, random, by }
    const { id } = await createAction(context, { name: 'a', source: SOURCES[0] })
    const insertVersion = env.DB.prepare(
      `INSERT INTO action_versions (action_id, number, cid, bytes, actor_kind, created_at, source) VALUES (?, ?, 'Qm', ?, 'session', 0, '')`,
    )
    await env.DB.batch(Array.from({ length: 99 }, (_, n) => insertVersion.bind(id, n + 2, 1)))
    const full = save(owner, id, SOURCES[1])
    expect(await full).toMatchObject({ status: 409, body: { reason: 'action_library_full' } })
    await env.DB.prepare('UPDATE action_versions SET bytes = ? WHERE action_id = ? AND number = 2')
      .bind(16 * 1024 * 1024, id)
      .run()
    await expect(createAction(context, { name: 'b', source: SOURCES[1] })).rejects.toEqual(
      new LibraryFullError('bytes'),
    )
    await env.DB.prepare('DELETE FROM action_versions WHERE action_id = ? AND number > 1')
      .bind(id)
      .run()
    const small = saveVersion({ ...context, databaseBytesMax: 1 }, id, { source: SOURCES[1] })
    await expect(small).rejects.toThrow(IndexFullError)
    const insertAction = env.DB.prepare(
      `INSERT INTO actions (id, owner_id, name, current_version, last_version, created_at, updated_at) VALUES (?, ?, 'a', 1, 1, 0, 0)`,
    )
    await env.DB.batch(
      Array.from({ length: 199 }, (_, n) => insertAction.bind(`actn_${owner.id}${n}`, owner.id)),
    )
    await expect(createAction(context, { name: 'b', source: SOURCES[1] })).rejects.toEqual(
      new LibraryFullError('actions'),
    )
  })

  it('erasure: the sources of an erased user are deleted', async () => {
    const [owner, other] = [await someOwner(), await someOwner()]
    const { id } = await add(owner)
    await add(other)
    await eraseUser(env, { db, now: Date.now }, { id: owner.id, email: 'x@example.test' })
    for (const [table, column] of [
      ['actions', 'id'],
      ['action_versions', 'action_id'],
    ])
      expect(
        await env.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).bind(id).first(),
      ).toBeNull()
    expect(await listOf(other)).toHaveLength(1)
  })
})
