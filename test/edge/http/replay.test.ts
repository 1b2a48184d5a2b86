import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  fire,
  type Owner,
  post,
  readRun,
  runOnce,
  script,
  seen,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()

function replay(runId: string, body: unknown = {}, by = owner): Promise<Response> {
  const { path, init } = post(`/api/runs/${runId}/replay`, body)
  return by.api(path, init)
}

async function replayed(runId: string, body?: unknown): Promise<RunRecord> {
  const response = await replay(runId, body)
  expect(response.status).toBe(202)
  const { run_id }: { run_id: string } = await response.json()
  expect(response.headers.get('location')).toBe(`/api/runs/${run_id}`)
  const run: RunRecord = await (await owner.api(`/api/runs/${run_id}?wait=15`)).json()
  expect(run.finished_at).not.toBeNull()
  return run
}

async function change(id: string, over: object): Promise<void> {
  const init = { ...post('', over).init, method: 'PATCH' }
  expect((await owner.api(`/api/triggers/${id}`, init)).status).toBe(200)
}

const answering = (response: string) => ({ action_code: script(success(response)) })

describe('POST /api/runs/:id/replay', () => {
  it('starts a new run of the same event that refers to the original', async () => {
    const { id } = await createTrigger(owner)
    const headers = { 'x-hub-signature-256': 'sha256=00', 'content-type': 'text/plain' }
    const first = await runOnce(owner, await fire(id, '{"a": 1}\r\n', { headers }))
    const second = await replayed(first.id)
    expect(second).toMatchObject({ replay_of: first.id, test: false, status: 'success' })
    expect(second.id).not.toBe(first.id)
    expect(second.input).toEqual(first.input)
    expect((await seen(second.id))[0]!.params).toEqual((await seen(first.id))[0]!.params)
  })

  it('keeps the exact bytes, including 2 MiB of binary data', async () => {
    const { id } = await createTrigger(owner)
    const body = new Uint8Array(2 * 1024 * 1024).map((_, i) => (i * 7 + (i >> 8)) % 256)
    const second = await replayed(await fire(id, body))
    const raw = second.input.event_raw as string
    expect(Uint8Array.from(atob(raw), (c) => c.charCodeAt(0))).toEqual(body)
    const same = await sql<{ n: number }>(
      id,
      `SELECT count(*) AS n FROM body_parts a JOIN body_parts b
       ON a.part = b.part AND a.bytes = b.bytes AND a.sequence < b.sequence`,
    )
    expect(same).toEqual([{ n: 2 }])
  })

  it('passes a secret header to the action that the history masks', async () => {
    const { id } = await createTrigger(owner)
    const headers = { 'x-gitlab-token': 'the secret' }
    const second = await replayed((await runOnce(owner, await fire(id, '{}', { headers }))).id)
    expect(second.input.headers as object).toMatchObject({ 'x-gitlab-token': 'REDACTED' })
    const params = (await seen(second.id))[0]!.params as { headers: object }
    expect(params.headers).toMatchObject(headers)
  })

  it('uses the current code and default_params, or those of the original run', async () => {
    const { id } = await createTrigger(owner, { ...answering('old'), default_params: { v: 1 } })
    const first = await runOnce(owner, await fire(id))
    await change(id, { ...answering('new'), default_params: { v: 2 } })
    const current = await replayed(first.id)
    const original = await replayed(first.id, { code: 'original' })
    expect([current.response, current.input.v]).toEqual(['new', 2])
    expect([original.response, original.input.v]).toEqual(['old', 1])
    expect(original.action_cid).toBe(first.action_cid)
  })

  it('marks the replay of a test as a test', async () => {
    const { id } = await createTrigger(owner)
    const { path, init } = post(`/api/triggers/${id}/test`, { params: { a: 1 } })
    const { run_id }: { run_id: string } = await (await owner.api(path, init)).json()
    await runOnce(owner, run_id)
    expect(await replayed(run_id)).toMatchObject({ test: true, input: { a: 1 }, replay_of: run_id })
  })

  it('is not deduplicated against the original delivery', async () => {
    const { id } = await createTrigger(owner, { options: { dedup: true } })
    const headers = { 'webhook-id': 'delivery-1' }
    const first = await runOnce(owner, await fire(id, '{}', { headers }))
    const second = await replayed(first.id)
    expect(second.id).not.toBe(first.id)
    expect(await fire(id, '{}', { headers })).toBe(first.id)
  })

  it('needs no body', async () => {
    const { id } = await createTrigger(owner)
    const first = await runOnce(owner, await fire(id))
    const response = await owner.api(`/api/runs/${first.id}/replay`, { method: 'POST' })
    expect(response.status).toBe(202)
  })

  it.each([
    [{ code: 'newest' }, 'code'],
    [{ params: {} }, 'params'],
    [[], 'body'],
  ])('returns 422 and names the problem: %j', async (body, named) => {
    const { id } = await createTrigger(owner)
    const response = await replay(await fire(id), body)
    expect(response.status).toBe(422)
    const { message }: { message: string } = await response.json()
    expect(message).toContain(named)
  })

  it('returns 409 while the trigger is disabled', async () => {
    const { id } = await createTrigger(owner)
    const first = await runOnce(owner, await fire(id))
    await change(id, { enabled: false })
    const response = await replay(first.id)
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ error: 'trigger_disabled' })
  })

  it('returns 429 if the queue is full', async () => {
    const { id } = await createTrigger(owner, { max_runs_per_minute: 1, max_queued_runs: 1 })
    const first = await runOnce(owner, await fire(id))
    expect((await replay(first.id)).status).toBe(202)
    const full = await replay(first.id)
    expect(full.status).toBe(429)
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('foreign run: returns 404 as for an unknown run, and creates no run', async () => {
    const { id } = await createTrigger(owner)
    const first = await runOnce(owner, await fire(id))
    const foreign = await replay(first.id, {}, await someOwner())
    const never = await replay(`${id}AAAAAAAAAAAAAAAA`)
    expect([foreign.status, never.status]).toEqual([404, 404])
    expect(await foreign.text()).toBe(await never.text())
    expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)
    expect((await readRun(owner, first.id)).replay_of).toBeNull()
  })
})
