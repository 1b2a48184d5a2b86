import { describe, expect, it, vi } from 'vitest'
import { TriggerQueue } from '../../../edge/queue/trigger-queue.ts'
import { BODY_PART_BYTES, WEBHOOK_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import {
  createTrigger,
  edge,
  fire,
  kill,
  objectExists,
  type Owner,
  queueOfRun,
  readRun,
  runOnce,
  script,
  someOwner,
  sql,
  success,
  unknownTriggerId,
} from '../app.ts'

const owner: Owner = await someOwner()
const bytes = (...values: number[]) => new Uint8Array(values)
const ascii = (text: string) => new TextEncoder().encode(text)

/** The bytes as a sender without a length sends them. */
function chunked(body: Uint8Array, size = 64 * 1024): ReadableStream {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.slice(at, (at += size)))
    },
  })
}

async function inputOf(trigger: string, body: BodyInit, type?: string) {
  const headers = type === undefined ? {} : { 'content-type': type }
  const { input } = await readRun(owner, await fire(trigger, body, { headers }))
  return input
}

describe('the answer of a webhook', () => {
  it('is 202 with the run and that it is queued', async () => {
    const { id } = await createTrigger(owner)
    const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(202)
    const body: { run_id: string } = await response.json()
    expect(body).toEqual({ run_id: expect.stringMatching(/^[\w-]{48}$/), status: 'queued' })
    expect(body.run_id.slice(0, 32)).toBe(id)
  })

  it('comes only after the run is on disk: an object killed right after it still has the run', async () => {
    const { id } = await createTrigger(owner, { action_code: script({ unsealed: 502 }) })
    const run = await fire(id, 'kept')
    await kill(id)
    expect((await readRun(owner, run)).input.event_raw).toBe('kept')
  })

  it('is 503 with Retry-After for a disabled trigger, and nothing is queued', async () => {
    const { id } = await createTrigger(owner, { enabled: false })
    const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ error: 'trigger_disabled' })
    expect(await sql(id, 'SELECT * FROM runs')).toEqual([])
  })

  it('is 429 with Retry-After when the queue is full, and the waiting runs stay', async () => {
    const { id } = await createTrigger(owner, {
      max_queued_runs: 2,
      max_runs_per_minute: 1,
    })
    const answers = []
    for (let i = 0; i < 4; i++)
      answers.push(await edge(`/webhook/${id}`, { method: 'POST', body: `${i}` }))
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202, 429])
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await sql(id, "SELECT 1 FROM runs WHERE status = 'queued'")).toHaveLength(2)
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is 405 to %s', async (method) => {
    const { id } = await createTrigger(owner)
    const response = await edge(`/webhook/${id}`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('is 503 with Retry-After when the object breaks under the write, so that the sender tries again', async () => {
    const { id } = await createTrigger(owner)
    const moved = Object.assign(new Error('moved'), { retryable: true })
    vi.spyOn(TriggerQueue.prototype, 'accept').mockRejectedValueOnce(moved)
    const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

describe('ids that nobody was given', () => {
  it.each(['forged MAC', 'another shape', 'empty'])(
    'an id with %s creates no object, however often it is asked',
    async (kind) => {
      const real = await unknownTriggerId()
      const forged = real.slice(0, -1) + (real.endsWith('A') ? 'B' : 'A')
      const id = { 'forged MAC': forged, 'another shape': 'x'.repeat(40), empty: '%20' }[kind]!
      const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
      expect(response.status).toBe(404)
      expect((await owner.api(`/api/triggers/${id}`)).status).toBe(404)
      expect((await owner.api(`/api/runs/${id}AAAAAAAAAAAAAAAA`)).status).toBe(404)
      expect(await objectExists(id)).toBe(false)
    },
  )

  it('a deleted trigger answers like one that never was', async () => {
    const { id } = await createTrigger(owner)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    const never = await edge(`/webhook/${await unknownTriggerId()}`, { method: 'POST' })
    const deleted = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(deleted.status).toBe(404)
    expect(await deleted.text()).toBe(await never.text())
  })
})

describe('the bytes of a body', () => {
  it.each([
    ['a BOM', bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d), 'application/json', '\ufeff{}', 'utf8'],
    ['a NUL', ascii('a\0b'), 'text/plain', 'a\0b', 'utf8'],
    ['nothing', bytes(), 'application/json', '', 'utf8'],
    ['invalid UTF-8', bytes(0xff, 0xfe, 0x00), 'text/plain', '//4A', 'base64'],
    ['an encoded surrogate', bytes(0xed, 0xa0, 0x80), 'application/json', '7aCA', 'base64'],
    ['gzip', bytes(0x1f, 0x8b, 8, 0, 0xff), 'application/json', 'H4sIAP8=', 'base64'],
    ['a form', ascii('a=1&a=%20'), 'application/x-www-form-urlencoded', 'a=1&a=%20', 'utf8'],
    ['CR LF and a tail of spaces', ascii('{}\r\n  '), 'application/json', '{}\r\n  ', 'utf8'],
  ])('stay as they came: %s', async (_, body, type, raw, encoding) => {
    const { id } = await createTrigger(owner)
    const input = await inputOf(id, body, type)
    expect([input.event_raw, input.event_raw_encoding]).toEqual([raw, encoding])
    expect(input.request).toMatchObject({ body_bytes: body.length })
  })

  it('are not unpacked under a content-encoding: a signature covers what was sent', async () => {
    const { id } = await createTrigger(owner)
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const run = await fire(id, bytes(0x1f, 0x8b, 8, 0xff), { headers })
    expect((await readRun(owner, run)).input.event_raw).toBe('H4sI/w==')
  })

  it('are whole when they come in chunks without a length', async () => {
    const { id } = await createTrigger(owner)
    const body = ascii('0123456789'.repeat(30_000))
    const input = await inputOf(id, chunked(body))
    expect(input.event_raw).toBe('0123456789'.repeat(30_000))
  })

  it.each(['with a length', 'chunked'])(
    'are taken up to 2 MiB and come back whole, %s; one more is 413 and leaves nothing',
    async (way) => {
      const { id } = await createTrigger(owner, { action_code: script(success(1)) })
      const body = new Uint8Array(WEBHOOK_BODY_MAX_BYTES)
      for (let i = 0; i < body.length; i++) body[i] = 33 + (i % 89)
      const run = await fire(id, way === 'chunked' ? chunked(body) : body)
      expect((await runOnce(owner, run)).status).toBe('success')
      const { input } = await readRun(owner, run)
      expect(input.event_raw === new TextDecoder().decode(body)).toBe(true)

      const more = new Uint8Array(WEBHOOK_BODY_MAX_BYTES + 1)
      const refused = await edge(`/webhook/${id}`, {
        method: 'POST',
        body: way === 'chunked' ? chunked(more) : more,
      })
      expect(refused.status).toBe(413)
      expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)

      const parts = await sql<{ size: number }>(id, 'SELECT length(bytes) AS size FROM body_parts')
      expect(parts.map(({ size }) => size)).toEqual([BODY_PART_BYTES, BODY_PART_BYTES])
      expect(await sql(id, 'SELECT body FROM runs')).toEqual([{ body: null }])
    },
  )

  it('over 64 KiB are left out of lists, and said to be', async () => {
    const { id } = await createTrigger(owner)
    const run = await fire(id, 'x'.repeat(64 * 1024 + 1))
    const list: { runs: { input: object }[] } = await (
      await owner.api(`/api/triggers/${id}/runs`)
    ).json()
    expect(list.runs[0]!.input).toMatchObject({ body_omitted: true, event_raw: null })
    expect(queueOfRun(run).name).toBe(id)
  })
})
