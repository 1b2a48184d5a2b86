import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  fire,
  type Owner,
  post,
  readRun,
  runOnce,
  seen,
  someOwner,
  sql,
} from '../app.ts'

const owner: Owner = await someOwner()

function test(id: string, body: unknown, by = owner): Promise<Response> {
  const { path, init } = post(`/api/triggers/${id}/test`, body)
  return by.api(path, init)
}

async function tested(id: string, body: unknown): Promise<RunRecord> {
  const response = await test(id, body)
  expect(response.status).toBe(202)
  const { run_id }: { run_id: string } = await response.json()
  const run: RunRecord = await (await owner.api(`/api/runs/${run_id}?wait=15`)).json()
  expect(run.finished_at).not.toBeNull()
  return run
}

const paramsOf = async (runId: string) => (await seen(runId))[0]!.params as Record<string, unknown>

describe('POST /api/triggers/:id/test', () => {
  it('returns 202 with the run and its location', async () => {
    const { id } = await createTrigger(owner)
    const response = await test(id, { params: {} })
    expect(response.status).toBe(202)
    const answer: { run_id: string; status: string } = await response.json()
    expect(answer).toEqual({ run_id: expect.any(String), status: 'queued' })
    expect(response.headers.get('location')).toBe(`/api/runs/${answer.run_id}`)
  })

  it('merges params over default_params, as the keys of an event', async () => {
    const { id } = await createTrigger(owner, { default_params: { a: 1, b: { c: 2 } } })
    const params = JSON.parse('{"b": 5, "d": ["é"], "__proto__": {"x": 1}}')
    const run = await tested(id, { params })
    expect(run).toMatchObject({ status: 'success', test: true, replay_of: null, charged_cents: 1 })
    const expected = JSON.parse('{"a": 1, "b": 5, "d": ["é"], "__proto__": {"x": 1}}')
    expect(run.input).toEqual(expected)
    expect(JSON.stringify(await paramsOf(run.id))).toBe(JSON.stringify(expected))
  })

  it('passes an event to the action as a JSON POST would', async () => {
    const { id, webhook_url } = await createTrigger(owner, { default_params: { kept: true } })
    const event = { action: 'opened', tail: '\u{1F600}\0' }
    const trial = await tested(id, { event })
    const headers = { 'content-type': 'application/json' }
    const real = await runOnce(owner, await fire(id, JSON.stringify(event), { headers }))
    const timeless = async ({ id: runId }: RunRecord) => {
      const { request, ...params } = await paramsOf(runId)
      return { ...params, request: { ...(request as object), received_at: '' } }
    }
    const expected = await timeless(real)
    expect(await timeless(trial)).toEqual({
      ...expected,
      request: { ...expected.request, url: webhook_url },
    })
    expect([trial.test, real.test]).toEqual([true, false])
  })

  it.each([[null], [false], [0], ['text'], [[1, 2]], [{}]])(
    'accepts any JSON event: %j',
    async (event) => {
      const { id } = await createTrigger(owner)
      const run = await tested(id, { event })
      expect(run.input).toMatchObject({ event, event_raw: JSON.stringify(event) })
    },
  )

  it('paces test runs and rejects them if the queue is full, like all runs', async () => {
    const { id } = await createTrigger(owner, { max_runs_per_minute: 1, max_queued_runs: 2 })
    await tested(id, { params: {} })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await test(id, { params: {} }))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429])
    expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(0)
    const { run_id }: { run_id: string } = await answers[0]!.json()
    expect((await readRun(owner, run_id)).status).toBe('queued')
  })

  it('returns 409 while the trigger is disabled', async () => {
    const { id } = await createTrigger(owner, { enabled: false })
    const response = await test(id, { params: {} })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ error: 'trigger_disabled' })
  })

  it('accepts params but no event for a schedule', async () => {
    const schedule = { kind: 'schedule', config: { cron: '0 0 1 1 *' } }
    const { id } = await createTrigger(owner, schedule)
    const run = await tested(id, { params: { scheduled_at: '2026-05-22T13:05:00Z' } })
    expect(run.input).toEqual({ scheduled_at: '2026-05-22T13:05:00Z' })
    const response = await test(id, { event: {} })
    expect(response.status).toBe(422)
    const { message }: { message: string } = await response.json()
    expect(message).toContain('event')
  })

  it.each([
    [{}, 'params'],
    [{ params: {}, event: {} }, 'event'],
    [{ params: [] }, 'params'],
    [{ params: 'x' }, 'params'],
    [{ params: null }, 'params'],
    [{ params: {}, kind: 'webhook' }, 'kind'],
    [[], 'body'],
  ])('returns 422 and names the problem: %j', async (body, named) => {
    const { id } = await createTrigger(owner)
    const response = await test(id, body)
    expect(response.status).toBe(422)
    const { message }: { message: string } = await response.json()
    expect(message).toContain(named)
  })

  it('deep JSON: returns 422 for thousands of levels without a stack overflow', async () => {
    const { id } = await createTrigger(owner)
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const init = { ...post('', {}).init, body: `{"event": ${deep}}` }
    expect((await owner.api(`/api/triggers/${id}/test`, init)).status).toBe(422)
  })

  it('returns 413 above 2 MiB, and accepts anything below', async () => {
    const { id } = await createTrigger(owner)
    const text = 'x'.repeat(2 * 1024 * 1024 - 2)
    expect((await test(id, { event: `${text}y` })).status).toBe(413)
    const run = await tested(id, { event: text })
    expect(run.input.event === text).toBe(true)
    expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)
  })

  it('lists the params, or a link to the run if they are too large', async () => {
    const { id } = await createTrigger(owner, { default_params: { a: 1 } })
    const large = 'x'.repeat(2_000_000)
    for (let i = 0; i < 5; i++) await tested(id, { params: { large } })
    const list: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
    expect(list.runs[0]!.input.large === large).toBe(true)
    const { id: oldest, input, input_omitted } = list.runs[4]!
    expect(input).toEqual({ a: 1, body_omitted: true })
    expect(input_omitted).toEqual({ bytes: 2_000_012, url: `/api/runs/${oldest}` })
  })

  it('foreign trigger: returns 404 and creates no run', async () => {
    const { id } = await createTrigger(owner)
    expect((await test(id, { params: {} }, await someOwner())).status).toBe(404)
    expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(0)
  })
})
