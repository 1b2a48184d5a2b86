import { describe, expect, it, vi } from 'vitest'
import { eq } from 'drizzle-orm'
import {
  agentTokens,
  magicLinks,
  oauthGrants,
  operatorActions,
  passkeys,
  sessions,
  users,
} from '../../../edge/db/schema.ts'
import { issueMagicLink } from '../../../edge/identity/magic-links.ts'
import { storePasskey } from '../../../edge/identity/passkeys.ts'
import { startSession } from '../../../edge/identity/sessions.ts'
import { approveGrant } from '../../../edge/oauth/grants.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import type { ExportedTrigger } from '../../../shared/wire/operator.ts'
import type { TriggerLogPage } from '../../../shared/wire/trigger-log.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  db,
  edge,
  env,
  fire,
  kill,
  objectExists,
  type Owner,
  post,
  random,
  readRun,
  runOnce,
  script,
  slow,
  someOwner,
  sql,
  success,
  unknownTriggerId,
} from '../app.ts'
import { edgeWith } from '../http/front-harness.ts'

const WHO = { operator: 'ada', reason: 'ticket 7' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function send(command: string, fields: object, token = env.OPERATOR_TOKEN!) {
  const { path, init } = post('/operator', { command, ...WHO, ...fields })
  return edge(path, { ...init, headers: { ...init.headers, ...bearer(token) } })
}
async function perform(command: string, fields: object): Promise<{ plan: any; result: any }> {
  const response = await send(command, fields)
  const answer: any = await response.json()
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer
}
const actionsOn = (subject: string) =>
  db.select().from(operatorActions).where(eq(operatorActions.subject, subject))
const read = async (owner: Owner, id: string): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`)).json()
const patch = (owner: Owner, id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
/** Waits until the owner's log has this number of changes by operators. @returns them, oldest first */
const loggedByOperator = (owner: Owner, count: number) =>
  vi.waitUntil(
    async () => {
      const response = await owner.api('/api/audit-log?order=oldest')
      const { entries }: TriggerLogPage = await response.json()
      const found = entries.filter(({ actor }) => actor.kind === 'operator')
      return (
        found.length >= count &&
        found.map(({ operation, details }) => [operation, details['changes']])
      )
    },
    { timeout: 15_000, interval: 20 },
  )
const webhookStatus = async (id: string) =>
  (await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })).status

describe('/operator', () => {
  it.each([
    ['nothing', ''],
    ['another token', 'x'.repeat(32)],
    ['the beginning of the token', env.OPERATOR_TOKEN!.slice(0, -1)],
    ['the metrics token', env.METRICS_TOKEN!],
  ])('stranger: returns 401 for %s, before it reads the body', async (_, token) => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    for (const given of [token, owner.token]) {
      const response = await send('suspend-trigger', { trigger_id: id }, given)
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      const invalid = await edge('/operator', { method: 'POST', body: '{', headers: bearer(given) })
      expect(invalid.status).toBe(401)
      expect((await edge('/operator', { headers: bearer(given) })).status).toBe(401)
    }
    expect(await webhookStatus(id)).toBe(202)
    expect(await actionsOn(id)).toEqual([])
  })

  it('returns the same 404 as an unknown path if no token is configured', async () => {
    const app = edgeWith({ OPERATOR_TOKEN: undefined })
    for (const method of ['GET', 'POST']) {
      const init = { method, headers: bearer('x'.repeat(32)) }
      const [one, other] = [await app('/operator', init), await app('/operatr', init)]
      expect([one.status, await one.text()]).toEqual([404, await other.text()])
    }
  })

  it.each([
    ['no operator', { operator: undefined }, 'operator'],
    ['no reason', { reason: '' }, 'reason'],
    ['an unknown field', { trigger_id: 'x', more: 1 }, 'more'],
  ])('names the fault of a command with %s', async (_, fields, fault) => {
    const response = await send('suspend-trigger', { trigger_id: 'x', ...fields })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain(fault)
  })

  it('answers 404 for a trigger or user that does not exist, and creates no object', async () => {
    const id = await unknownTriggerId()
    for (const trigger_id of [id, 'x'])
      expect((await send('suspend-trigger', { trigger_id })).status).toBe(404)
    expect(await objectExists('x')).toBe(false)
    expect((await send('erase-user', { user: 'nobody@example.test' })).status).toBe(404)
  })

  it.each(["UPDATE operator_actions SET operator = 'x'", 'DELETE FROM operator_actions'])(
    'audit tampering: the database rejects %s',
    async (statement) => {
      const { id } = await createTrigger(await someOwner())
      await perform('suspend-trigger', { trigger_id: id })
      await expect(env.DB.prepare(statement).run()).rejects.toThrow('append-only')
    },
  )
})

describe('a suspended trigger', () => {
  it('does not fire, keeps its queued runs, and continues when it is resumed', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, {
      action_code: script(slow(300), success()),
      options: { concurrency: 1 },
    })
    const first = await fire(id)
    await runOnce(owner, first, ({ status }) => status === 'running')
    const queued = await fire(id)
    const { plan } = await perform('suspend-trigger', { trigger_id: id })
    expect(plan).toEqual({ trigger_id: id, user_id: owner.id, kind: 'webhook', enabled: true })
    expect(await webhookStatus(id)).toBe(503)
    expect(await runOnce(owner, first)).toMatchObject({ status: 'success' })
    await kill(id)
    expect(await readRun(owner, queued)).toMatchObject({ status: 'queued' })
    expect(await read(owner, id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('suspended'),
    })

    const { result } = await perform('resume-trigger', { trigger_id: id })
    expect(result).toEqual({ enabled: true })
    expect(await runOnce(owner, queued)).toMatchObject({ status: 'success' })
    expect(await read(owner, id)).toMatchObject({ enabled: true, disabled_reason: null })
    expect((await actionsOn(id)).map(({ command }) => command)).toEqual([
      'suspend-trigger',
      'resume-trigger',
    ])
  })

  it('suspension bypass: cannot be enabled, tested or replayed by its owner, who can change other fields', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    const run = await fire(id)
    await runOnce(owner, run)
    await perform('suspend-trigger', { trigger_id: id })
    for (const enabled of [true, false]) {
      const refused = await patch(owner, id, { enabled })
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject({ reason: 'trigger_suspended' })
    }
    const test = post(`/api/triggers/${id}/test`, { params: {} })
    const replay = post(`/api/runs/${run}/replay`, {})
    for (const { path, init } of [test, replay])
      expect((await owner.api(path, init)).status).toBe(409)
    expect((await patch(owner, id, { name: 'other' })).status).toBe(200)
    expect(await webhookStatus(id)).toBe(503)
  })

  it('stops a schedule, and resumes it', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { kind: 'schedule', config: { cron: '0 0 1 1 *' } })
    await perform('suspend-trigger', { trigger_id: id })
    expect(await read(owner, id)).toMatchObject({ next_run_at: null })
    await perform('resume-trigger', { trigger_id: id })
    expect(await read(owner, id)).toMatchObject({ next_run_at: expect.any(String) })
  })

  it('stays disabled after it is resumed if it was disabled before', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { enabled: false })
    await perform('suspend-trigger', { trigger_id: id })
    expect((await perform('resume-trigger', { trigger_id: id })).result).toEqual({ enabled: false })
    expect((await patch(owner, id, { enabled: true })).status).toBe(200)
    expect(await webhookStatus(id)).toBe(202)
  })

  it.each([true, false])(
    'HIDDEN OPERATOR: is in the owner’s log when it is suspended and resumed, if it was enabled: %s',
    async (enabled) => {
      const owner = await someOwner()
      const { id } = await createTrigger(owner, { enabled })
      await perform('suspend-trigger', { trigger_id: id })
      await perform('resume-trigger', { trigger_id: id })
      const stopped = { from: 'true', to: 'false' }
      const started = { from: 'false', to: 'true' }
      const changes = enabled
        ? [{ enabled: stopped, suspended: started }, { suspended: stopped }, { enabled: started }]
        : [{ suspended: started }, { suspended: stopped }]
      expect(await loggedByOperator(owner, changes.length)).toEqual(
        changes.map((each) => ['change_trigger', each]),
      )
    },
  )

  it('cannot be suspended or resumed twice, and a dry run changes nothing', async () => {
    const { id } = await createTrigger(await someOwner())
    expect((await send('resume-trigger', { trigger_id: id })).status).toBe(409)
    const planned = await perform('suspend-trigger', { trigger_id: id, dry_run: true })
    expect(planned).toMatchObject({ done: false })
    expect(await webhookStatus(id)).toBe(202)
    expect(await actionsOn(id)).toEqual([])
    await perform('suspend-trigger', { trigger_id: id })
    expect((await send('suspend-trigger', { trigger_id: id })).status).toBe(409)
  })
})

describe('an erased user', () => {
  it('has no address, session, passkey, token, link or trigger left, and signs in as a new user', async () => {
    const owner = await someOwner()
    const deps = { db, now: Date.now, random, settings: env }
    const [{ email } = { email: '' }] = await db.select().from(users).where(eq(users.id, owner.id))
    await startSession(deps, owner.id)
    await issueMagicLink(deps, { email, next: '/' })
    await storePasskey(deps, owner.id, {
      credentialId: crypto.randomUUID(),
      name: 'a phone',
      publicKey: random(32),
      counter: 0,
      transports: [],
    })
    await db.update(agentTokens).set({ label: 'laptop' }).where(eq(agentTokens.userId, owner.id))
    await approveGrant(deps, {
      request: {
        clientId: 'https://client.example.com/client.json',
        redirectUri: 'https://client.example.com/callback',
        codeChallenge: 'challenge',
        scopes: [],
        state: undefined,
        query: '',
      },
      clientName: 'Robot',
      userId: owner.id,
      scopes: [],
    })
    const made = [await createTrigger(owner), await createTrigger(owner)]

    const { plan, result } = await perform('erase-user', { user: email })
    expect(plan).toEqual({
      user_id: owner.id,
      sessions: 1,
      passkeys: 1,
      tokens: 1,
      linked_accounts: 0,
      triggers: 2,
    })
    expect(result).toEqual({ triggers_left: 0 })

    for (const table of [sessions, passkeys, oauthGrants])
      expect(await db.$count(table, eq(table.userId, owner.id))).toBe(0)
    expect(await db.$count(magicLinks, eq(magicLinks.email, email))).toBe(0)
    const [token] = await db.select().from(agentTokens).where(eq(agentTokens.userId, owner.id))
    expect(token).toMatchObject({ label: null, revokedAt: expect.any(Number) })
    expect((await owner.api('/api/triggers')).status).toBe(401)
    for (const { id } of made) {
      expect(await webhookStatus(id)).toBe(404)
      await vi.waitUntil(async () => (await sqlTables(id)).length === 0, { timeout: 15_000 })
    }
    // The address is nowhere in the database, not even in the audit log.
    for (const { name } of (await env.DB.prepare(TABLES).all<{ name: string }>()).results)
      expect(
        JSON.stringify((await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results),
      ).not.toContain(email)
    expect(await actionsOn(owner.id)).toMatchObject([{ command: 'erase-user', ...WHO }])

    const again = await findOrCreateUser(deps, email)
    expect(again.id).not.toBe(owner.id)
    // Can be repeated by ID.
    expect((await perform('erase-user', { user: owner.id })).result).toEqual({ triggers_left: 0 })
  })
})

const TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'"
const sqlTables = (id: string) =>
  sql<{ name: string }>(id, "SELECT name FROM sqlite_master WHERE name = 'trigger'")

describe('exported triggers', () => {
  const exported = async (owner: Owner): Promise<ExportedTrigger[]> => {
    const { result } = await perform('export-triggers', { user: owner.id })
    expect(result.next).toBeNull()
    return result.triggers
  }

  it('contain no usage key in plaintext, and are restored with their ID, webhook URL and sealed key', async () => {
    const owner = await someOwner()
    const fields = { name: 'kept', default_params: { a: 1 }, options: { concurrency: 2 } }
    const before = await createTrigger(owner, { ...fields, usage_api_key: 'usage-key-of-canary' })
    const [trigger] = await exported(owner)
    expect(trigger).toMatchObject({ id: before.id, owner_id: owner.id, ...fields })
    expect(JSON.stringify(trigger)).not.toContain('usage-key-of-canary')

    const existing = await perform('import-trigger', { user: owner.id, trigger })
    expect(existing.result).toEqual({ id: before.id, imported: false })
    await owner.api(`/api/triggers/${before.id}`, { method: 'DELETE' })
    expect(await webhookStatus(before.id)).toBe(404)

    const { plan, result } = await perform('import-trigger', { user: owner.id, trigger })
    expect(plan).toMatchObject({ mode: 'restore' })
    expect(result).toMatchObject({ id: before.id, webhook_url: before.webhook_url, imported: true })
    expect(await read(owner, before.id)).toMatchObject({ ...fields, action_cid: before.action_cid })
    // The origin opens the sealed key.
    expect(await runOnce(owner, await fire(before.id))).toMatchObject({ status: 'success' })
  })

  it('HIDDEN OPERATOR: are in the owner’s log when they are restored', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { name: 'kept' })
    const [trigger] = await exported(owner)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await perform('import-trigger', { user: owner.id, trigger })
    expect(await loggedByOperator(owner, 1)).toEqual([
      ['create_trigger', expect.objectContaining({ name: { from: null, to: 'kept' } })],
    ])
  })

  it('are restored in an object that still has the deleted trigger in memory', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner, { action_code: script(success('before')) })
    await runOnce(owner, await fire(id))
    await patch(owner, id, { action_code: script(success('after')) })
    const [trigger] = await exported(owner)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await perform('import-trigger', { user: owner.id, trigger })
    expect((await read(owner, id)).stats).toMatchObject({ ok: 0 })
    expect(await runOnce(owner, await fire(id))).toMatchObject({ response: 'after' })
  })

  it('stolen key: cannot be restored for another user, or under an ID that this service did not issue', async () => {
    const [owner, other] = [await someOwner(), await someOwner()]
    const { id } = await createTrigger(owner)
    const [trigger] = await exported(owner)
    const foreign = await send('import-trigger', { user: other.id, trigger })
    expect([foreign.status, await foreign.text()]).toEqual([
      422,
      expect.stringContaining('usage_api_key'),
    ])
    const forged = { ...trigger, id: 'x'.repeat(id.length) }
    expect((await send('import-trigger', { user: owner.id, trigger: forged })).status).toBe(422)
  })

  it('become new triggers of another user with that user’s usage key', async () => {
    const [owner, other] = [await someOwner(), await someOwner()]
    const { id } = await createTrigger(owner, { name: 'moved' })
    const [trigger] = await exported(owner)
    const { result } = await perform('import-trigger', {
      user: other.id,
      trigger,
      usage_api_key: 'usage-key',
    })
    expect(result.id).not.toBe(id)
    expect(await read(other, result.id)).toMatchObject({
      name: 'moved',
      webhook_url: result.webhook_url,
    })
    expect(await runOnce(other, await fire(result.id))).toMatchObject({ status: 'success' })
  })

  it('repeated events: a restored chain event starts at the head, not at its start_block', async () => {
    const owner = await someOwner()
    const config = {
      chain: 'base',
      contract_address: `0x${'11'.repeat(20)}`,
      event_signature: 'event Ping(uint256 indexed n)',
      start_block: 1,
    }
    const { id } = await createTrigger(owner, { kind: 'chain_event', config, enabled: false })
    const [trigger] = await exported(owner)
    expect(trigger!.config).toMatchObject({ start_block: 1 })
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await perform('import-trigger', { user: owner.id, trigger })
    expect((await read(owner, id)).config).not.toHaveProperty('start_block')
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
  })

  it('are paged', async () => {
    const owner = await someOwner()
    const ids = []
    for (let n = 0; n < 21; n++) ids.push((await createTrigger(owner)).id)
    const first = await perform('export-triggers', { user: owner.id })
    expect(first.plan).toEqual({ user_id: owner.id, triggers: 21 })
    const { next } = first.result
    const second = await perform('export-triggers', { user: owner.id, after: next })
    const both = [...first.result.triggers, ...second.result.triggers]
    expect(both.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
    expect(second.result.next).toBeNull()
  })
})
