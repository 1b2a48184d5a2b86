import { describe, expect, it } from 'vitest'
import { REPLAY_ID_CHARACTERS, RUN_ID_CHARACTERS } from '../../../shared/ids.ts'
import { newAgentToken } from '../../../shared/client/agent-token.ts'
import { edge, unknownTriggerId } from '../app.ts'
import {
  asAnotherOwner,
  beginAnew,
  client,
  created,
  failureOf,
  fields,
  line,
  lose,
  onceFor,
  smallPages,
} from './edge-client.ts'

beginAnew()

describe('a trigger', () => {
  it('can be created, read, changed, listed and deleted', async () => {
    const triggers = client()
    const trigger = await triggers.create(fields({ default_params: { a: 1 } }))
    expect(trigger.webhook_url).toMatch(new RegExp(`/webhook/${trigger.id}$`))
    expect(await triggers.get(trigger.id)).toMatchObject({ id: trigger.id, enabled: true })
    const changed = await triggers.patch(trigger.id, { enabled: false })
    expect(changed).toMatchObject({ enabled: false, default_params: { a: 1 } })
    const disabled = await triggers.list({ kind: 'webhook', enabled: false }).all()
    expect(disabled.map(({ id }) => id)).toEqual([trigger.id])
    await triggers.delete(trigger.id)
    expect(await failureOf(triggers.get(trigger.id))).toMatchObject({
      name: 'NotFound',
      status: 404,
      requestId: expect.any(String),
    })
  })

  it('can be previewed', async () => {
    const cron = { kind: 'schedule', config: { cron: '*/5 * * * *' } } as const
    expect(await client().preview(cron)).toMatchObject({ min_interval_s: 300 })
  })

  it('can watch the listed chains', async () => {
    const chains = await client().chains()
    const names = chains.map(({ chain, chain_id }) => [chain, chain_id])
    expect(names).toEqual(Object.entries({ ethereum: 1, base: 8453, arbitrum: 42161, bsc: 56 }))
  })

  it('unverified origin: announces a usage key before sending it, like a core API key', async () => {
    const triggers = client()
    const { id } = await triggers.create(fields())
    await triggers.patch(id, { usage_api_key: 'another-key' })
    await triggers.patch(id, { name: 'renamed' })
    expect(line.announced).toEqual(['token', 'body', 'token', 'body', 'token'])
  })

  it('is rejected with the name of the invalid field', async () => {
    const refused = failureOf(created({ max_queued_runs: 0 }))
    expect(await refused).toMatchObject({ name: 'Unprocessable', status: 422 })
    expect((await refused).message).toContain('max_queued_runs')
  })

  it('is listed once across pages while other triggers are created and deleted', async () => {
    await asAnotherOwner()
    const made: string[] = []
    for (let left = 5; left > 0; left--) made.unshift((await created()).id)
    line.way = smallPages
    const found: string[] = []
    for await (const { id } of client().list()) {
      found.push(id)
      if (found.length === 2) await created()
      if (found.length === 3) await client().delete(made[4]!)
    }
    expect(found).toEqual(made.slice(0, 4))
  })

  it('link to another host: the token is not sent to a host named in a Link header', async () => {
    const hosts = new Set<string>()
    line.way = async (request, send) => {
      hosts.add(new URL(request.url).host)
      const answer = await smallPages(request, send)
      const headers = new Headers(answer.headers)
      const link = headers.get('link')
      if (link) headers.set('link', link.replace(/https?:\/\/[^/]+/, 'https://attacker.test'))
      return new Response(answer.body, { status: answer.status, headers })
    }
    expect((await client().list().all()).length).toBeGreaterThan(2)
    expect([...hosts]).toEqual(['edge.test'])
  })

  it('is created once, and the error for a lost response says that it may exist', async () => {
    line.way = lose
    const before = await client()
      .list()
      .all()
      .catch(() => [])
    const failed = await failureOf(client({ times: 4 }).create(fields({ name: 'lost' })))
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(failed.fix).toContain('A trigger may have been created')
    expect(before).toEqual([])
    line.way = (request, send) => send(request)
    const found = await client().list().all()
    expect(found.filter(({ name }) => name === 'lost')).toHaveLength(1)
  })

  it('is deleted although the response was lost', async () => {
    const { id } = await created()
    line.way = onceFor(/DELETE/, lose)
    await client().delete(id)
    expect(line.asked.filter((question) => question.startsWith('DELETE'))).toHaveLength(2)
    expect(await failureOf(client().get(id))).toMatchObject({ status: 404 })
  })

  it('is not deleted if it does not exist', async () => {
    expect(await failureOf(client().delete(await unknownTriggerId()))).toMatchObject({
      name: 'NotFound',
    })
  })

  it.each(['', '..', '../me', 'x'.repeat(48), `${'x'.repeat(31)}/`])(
    'path injection: never sends the ID %j',
    async (id) => {
      const triggers = client()
      for (const call of [
        () => triggers.get(id),
        () => triggers.patch(id, {}),
        () => triggers.delete(id),
        () => triggers.test(id, { params: {} }),
        () => triggers.purge(id),
        () => triggers.fire(id, ''),
        () => triggers.runs(id).all(),
        () => triggers.watchRuns(id).next(),
        () => triggers.tail(id).next(),
        () => triggers.run(`${id}.`),
        () => triggers.cancelRun(`${id}.`),
        () => triggers.replayRun(`${id}.`),
      ])
        expect(await failureOf(call())).toMatchObject({ name: 'NotSent', code: 'malformed_id' })
      expect(line.asked).toEqual([])
    },
  )
})

describe('firing a webhook', () => {
  it('sends the exact bytes and a signature, without the token', async () => {
    const { id } = await created()
    const body = new Uint8Array([0xff, 0x00, 0x7b])
    let sent: Headers | undefined
    line.way = (request, send) => {
      sent ??= request.headers
      return send(request)
    }
    const fired = await client().fire(id, body, { 'X-Hub-Signature-256': 'sha256=00' })
    expect(sent?.get('authorization')).toBeNull()
    const run = await client().waitForRun(fired.run_id!)
    expect(run).toMatchObject({ status: 'success', response: 'done' })
    expect(run.input).toMatchObject({
      event_raw: '/wB7',
      event_raw_encoding: 'base64',
      headers: { 'x-hub-signature-256': 'sha256=00' },
    })
  })

  it('needs no content type for text, and no token', async () => {
    const { id } = await created()
    const fired = await client({ token: undefined }).fire(id, '{"a":1}')
    expect((await client().waitForRun(fired.run_id!)).input).toMatchObject({ event: { a: 1 } })
  })

  it('is not retried without an idempotency key, and is retried with one', async () => {
    const { id } = await created({ options: { dedup: true } })
    line.way = onceFor(/webhook/, lose)
    expect(await failureOf(client({ times: 4 }).fire(id, '{}'))).toMatchObject({
      name: 'NetworkFailed',
      fix: expect.stringContaining('triggers.runs(id)'),
    })
    line.way = onceFor(/webhook/, lose)
    const again = await client({ times: 4 }).fire(id, '{}', {}, { idempotencyKey: 'one' })
    expect(again).toMatchObject({ duplicate: true })
    expect(await client().runs(id).all()).toHaveLength(2)
  })

  it('is rejected for a disabled trigger, and not retried', async () => {
    const { id } = await created({ enabled: false })
    expect(await failureOf(client({ times: 4 }).fire(id, '{}'))).toMatchObject({
      name: 'ServiceUnavailable',
      code: 'trigger_disabled',
    })
    expect(line.asked.filter((question) => question.includes('/webhook/'))).toHaveLength(1)
  })

  it('header injection: rejects a line break in a header without revealing the value', async () => {
    const { id } = await created()
    line.asked = []
    const failed = await failureOf(client().fire(id, '', { 'x-a': 's3cret\r\nx-b: 1' }))
    expect(failed).toMatchObject({ name: 'NotSent', code: 'bad_header' })
    expect(`${failed.message}${failed.stack}`).not.toContain('s3cret')
    expect(line.asked).toEqual([])
  })
})

/** Routes for clients. The others are pages and health checks. */
const FOR_CLIENTS = /^\/(api|webhook)\/|^\/agent\/requests$/

it('covers every operation of the trigger service', async () => {
  const described = await (await edge('/openapi.json')).json<{ paths: Record<string, object> }>()
  const served = Object.entries(described.paths)
    .filter(([path]) => FOR_CLIENTS.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    // Handshakes are between webhook senders and the edge.
    .filter((route) => /^(get|post|patch|delete) /.test(route) && route !== 'get /webhook/{id}')
  line.way = async () =>
    Response.json({ error: 'forbidden', message: 'm', fix: 'f' }, { status: 403 })
  const triggers = client()
  const id = await unknownTriggerId()
  const runId = 'r'.repeat(RUN_ID_CHARACTERS)
  const replayId = 'p'.repeat(REPLAY_ID_CHARACTERS)
  const channelId = 123_456
  const actionId = `actn_${'a'.repeat(22)}`
  const all: (() => Promise<unknown>)[] = [
    () => triggers.me(),
    () => triggers.registerAgentRequest({ challenge: newAgentToken().challenge, label: 'x' }),
    () => triggers.create(fields()),
    () => triggers.list().all(),
    () => triggers.get(id),
    () => triggers.patch(id, { enabled: false }),
    () => triggers.delete(id),
    () => triggers.preview(fields()),
    () => triggers.test(id, { params: {} }),
    () => triggers.purge(id),
    () => triggers.fire(id, '{}'),
    () => triggers.runs(id).all(),
    () => triggers.tail(id, { since: new Date(0) }).next(),
    () => triggers.run(runId),
    () => triggers.cancelRun(runId),
    () => triggers.replayRun(runId),
    () => triggers.chains(),
    () => triggers.allRuns().all(),
    () => triggers.failedRuns().all(),
    () => triggers.errorGroups().all(),
    () => triggers.previewReplay({ run_ids: [runId] }),
    () => triggers.startReplay({ run_ids: [runId] }),
    () => triggers.replays().all(),
    () => triggers.replay(replayId),
    () => triggers.cancelReplay(replayId),
    () => triggers.auditLog.page(),
    () => triggers.actions.list(),
    () => triggers.actions.create({ name: 'x', source: '1' }),
    () => triggers.actions.get(actionId),
    () => triggers.actions.change(actionId, { name: 'y' }),
    () => triggers.actions.delete(actionId),
    () => triggers.actions.versions(actionId),
    () => triggers.actions.version(actionId, 1),
    () => triggers.actions.save(actionId, { source: '2' }),
    () => triggers.actions.deleteVersion(actionId, 1),
    () => triggers.alerts.incidents().all(),
    () => triggers.alerts.settings(),
    () => triggers.alerts.change({ muted: true }),
    () => triggers.alerts.changeTrigger(id, { muted: true }),
    () => triggers.alerts.resetTrigger(id),
    () => triggers.alerts.deliveries().all(),
    () => triggers.alerts.test('mail'),
    () => triggers.alerts.channels.list(),
    () => triggers.alerts.channels.create({ type: 'webhook', name: 'x', url: 'https://x.dev' }),
    () => triggers.alerts.channels.change(channelId, { enabled: false }),
    () => triggers.alerts.channels.delete(channelId),
    () => triggers.alerts.channels.rotateSecret(channelId),
    () => triggers.alerts.channels.test(channelId),
  ]
  for (const call of all) expect(await failureOf(call())).toMatchObject({ name: 'Forbidden' })
  const called = line.asked.map((question) => {
    const [method = '', path = ''] = question.replace(/\?.*$/, '').split(' ')
    const template = [id, runId, replayId, String(channelId), actionId].reduce(
      (left, each) => left.replace(each, '{id}'),
      path.replace(/\/versions\/1$/, '/versions/{number}'),
    )
    return `${method.toLowerCase()} ${template}`
  })
  expect([...new Set(called)].toSorted()).toEqual(served.toSorted())
})
