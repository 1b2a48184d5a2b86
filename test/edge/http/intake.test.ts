import { describe, expect, it, vi } from 'vitest'
import { encodeBase64 } from '../../../edge/queue/firing.ts'
import { TriggerQueue } from '../../../edge/queue/trigger-queue.ts'
import { BODY_PART_BYTES, WEBHOOK_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
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
  seen,
  someOwner,
  sql,
  success,
  unknownTriggerId,
} from '../app.ts'

const owner: Owner = await someOwner()
const bytes = (...values: number[]) => new Uint8Array(values)
const ascii = (text: string) => new TextEncoder().encode(text)

/** Streams the bytes, as a sender without a content length would. */
function chunked(body: Uint8Array, size = 64 * 1024): ReadableStream {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.slice(at, (at += size)))
    },
  })
}

/** Waits without reading the run, because reading megabytes repeatedly is slow. */
const ended = (id: string) =>
  vi.waitUntil(
    async () =>
      (await sql(id, "SELECT 1 FROM runs WHERE status IN ('queued', 'running')")).length === 0,
    { timeout: 15_000, interval: 50 },
  )

/** Returns the params that the action received, which must equal the input in the history. */
async function paramsOf(body: BodyInit, type?: string, more: Record<string, string> = {}) {
  const { id } = await createTrigger(owner)
  const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...more }
  const run = await fire(id, body, { headers })
  const { input } = await runOnce(owner, run)
  const [call] = await seen(run)
  expect(input).toEqual(call!.params)
  return call!.params as Record<string, any>
}

describe('the response of a webhook', () => {
  it('is 202 with the run ID and the status queued', async () => {
    const { id } = await createTrigger(owner)
    const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(202)
    const body: { run_id: string } = await response.json()
    expect(body).toEqual({ run_id: expect.stringMatching(/^[\w-]{48}$/), status: 'queued' })
    expect(body.run_id.slice(0, 32)).toBe(id)
  })

  it('durability: is sent only after the run is on disk, so an object killed right afterwards keeps it', async () => {
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

  it('is 429 with Retry-After if the queue is full, and queued runs stay', async () => {
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

  it.each(['PUT', 'PATCH', 'DELETE'])('is 405 for %s', async (method) => {
    const { id } = await createTrigger(owner)
    const response = await edge(`/webhook/${id}`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('HEAD, OPTIONS, POST')
  })

  it('is 503 with Retry-After if the object fails during the write, so that the sender retries', async () => {
    const { id } = await createTrigger(owner)
    const moved = Object.assign(new Error('moved'), { retryable: true })
    vi.spyOn(TriggerQueue.prototype, 'accept').mockRejectedValueOnce(moved)
    const response = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

describe('IDs that were never assigned', () => {
  it.each(['forged MAC', 'another shape', 'empty'])(
    'create no object for an ID with %s',
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

  it('get the same response as a deleted trigger', async () => {
    const { id } = await createTrigger(owner)
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    const never = await edge(`/webhook/${await unknownTriggerId()}`, { method: 'POST' })
    const deleted = await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    expect(deleted.status).toBe(404)
    expect(await deleted.text()).toBe(await never.text())
  })
})

describe('the bytes of a body', () => {
  const BOM = [0xef, 0xbb, 0xbf]
  const form = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'
  const png = bytes(...ascii(form), 0x89, 0x50, ...ascii('\r\n--b--\r\n'))

  it.each<[string, Uint8Array, string, string, 'utf8' | 'base64', unknown]>([
    ['ASCII JSON', ascii('{"a": 1}'), 'application/json', '{"a": 1}', 'utf8', { a: 1 }],
    ['JSON with a BOM', bytes(...BOM, 0x7b, 0x7d), 'application/json', '\ufeff{}', 'utf8', {}],
    ['a text with a BOM', bytes(...BOM, 0x61), 'text/plain', '\ufeffa', 'utf8', '\ufeffa'],
    ['a BOM alone', bytes(...BOM), 'text/plain', '\ufeff', 'utf8', '\ufeff'],
    ['a NUL', ascii('a\0b'), 'text/plain', 'a\0b', 'utf8', 'a\0b'],
    ['a NUL first', ascii('\0'), 'text/plain', '\0', 'utf8', '\0'],
    ['nothing', bytes(), 'application/json', '', 'utf8', null],
    ['FF FE', bytes(0xff, 0xfe), 'application/json', '//4=', 'base64', null],
    [
      'UTF-16 with its mark',
      bytes(0xff, 0xfe, 0x7b, 0, 0x7d, 0),
      'application/json; charset=utf-16',
      '//57AH0A',
      'base64',
      null,
    ],
    ['an encoded surrogate', bytes(0xed, 0xa0, 0x80), 'application/json', '7aCA', 'base64', null],
    ['an overlong slash', bytes(0xc0, 0xaf), 'text/plain', 'wK8=', 'base64', null],
    ['half a character', bytes(0x61, 0xe2, 0x82), 'text/plain', 'YeKC', 'base64', null],
    ['Latin-1 as it says', bytes(0xe9), 'text/plain; charset=iso-8859-1', '6Q==', 'base64', null],
    [
      'a form',
      ascii('a=1&a=%20'),
      'application/x-www-form-urlencoded',
      'a=1&a=%20',
      'utf8',
      { a: ['1', ' '] },
    ],
    [
      'GitHub’s default form',
      ascii('payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D'),
      'application/x-www-form-urlencoded',
      'payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D',
      'utf8',
      { payload: { ref: 'refs/heads/main' } },
    ],
    ['multipart text', ascii(form), 'multipart/form-data; boundary=b', form, 'utf8', form],
    [
      'multipart with a file',
      png,
      'multipart/form-data; boundary=b',
      encodeBase64(png),
      'base64',
      null,
    ],
    ['CR LF and a tail of spaces', ascii('{}\r\n  '), 'application/json', '{}\r\n  ', 'utf8', {}],
    [
      '+json',
      ascii('{"a":1}'),
      'application/vnd.api+json; charset="utf-8"',
      '{"a":1}',
      'utf8',
      { a: 1 },
    ],
  ])('are unchanged: %s', async (_, body, type, raw, encoding, event) => {
    const params = await paramsOf(body, type)
    expect([params.event_raw, params.event_raw_encoding]).toEqual([raw, encoding])
    expect(params.event).toEqual(event)
    expect(params.request.body_bytes).toBe(body.length)
    expect(params).not.toHaveProperty('event_parse_error')
  })

  it('are not decompressed under a content-encoding, because the signature covers the sent bytes', async () => {
    const zipped = new Response('{"a":1}').body!.pipeThrough(new CompressionStream('gzip'))
    const sent = new Uint8Array(await new Response(zipped).arrayBuffer())
    const params = await paramsOf(sent, 'application/json', { 'content-encoding': 'gzip' })
    expect(params).toMatchObject({ event: null, event_raw: encodeBase64(sent) })
    expect(params.headers['content-encoding']).toBe('gzip')
  })

  it('that are invalid JSON are accepted, because the action may have to verify them', async () => {
    const params = await paramsOf('{"a":', 'application/json')
    expect(params).toMatchObject({ event: '{"a":', event_raw: '{"a":', event_raw_encoding: 'utf8' })
    expect(params.event_parse_error).toMatch(/./)
  })

  it('that are a malformed form are accepted, because the action may have to verify them', async () => {
    const params = await paramsOf('a=%zz', 'application/x-www-form-urlencoded')
    expect(params).toMatchObject({ event: 'a=%zz', event_raw: 'a=%zz', event_raw_encoding: 'utf8' })
    expect(params.event_parse_error).toMatch(/percent-encoding/)
  })

  it('are stored as bytes, so a NUL does not truncate them', async () => {
    const { id } = await createTrigger(owner)
    await fire(id, 'a\0b')
    const stored = await sql(id, 'SELECT typeof(body) AS type, hex(body) AS hex FROM runs')
    expect(stored).toEqual([{ type: 'blob', hex: '610062' }])
  })

  it('are complete if they arrive in chunks without a length', async () => {
    const text = '0123456789'.repeat(5_000)
    expect((await paramsOf(chunked(ascii(text)))).event_raw).toBe(text)
  })

  it.each(['with a length', 'chunked'])(
    'are accepted and returned up to 2 MiB, %s; one more byte is 413 and stores nothing',
    async (way) => {
      const { id } = await createTrigger(owner, { action_code: script(success(1)) })
      const body = new Uint8Array(WEBHOOK_BODY_MAX_BYTES)
      for (let i = 0; i < body.length; i++) body[i] = 33 + (i % 89)
      const run = await fire(id, way === 'chunked' ? chunked(body) : body)
      await ended(id)
      const [call] = await seen(run)
      const text = new TextDecoder().decode(body)
      expect((call!.params as { event_raw: string }).event_raw === text).toBe(true)
      const { input, status } = await readRun(owner, run)
      expect([status, input.event_raw === text]).toEqual(['success', true])

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

  it('are included in lists except the largest, which link to the full run', async () => {
    const { id } = await createTrigger(owner, {
      default_params: { mine: 1 },
      options: { concurrency: 1 },
    })
    const sizes = [1_000_000, 2_000_000, 1_900_000, 1_800_000, 1_700_000, 1_600_000, 0]
    const bodies = sizes.map((size) => 'x'.repeat(size))
    const runs: string[] = []
    for (const body of bodies) runs.push(await fire(id, body))
    const list: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
    const shown = list.runs.toReversed()
    expect(shown.map((run) => run.id)).toEqual(runs)
    // The response holds 8 MiB: all but the largest body.
    expect(shown.map((run) => 'input_omitted' in run)).toEqual(sizes.map((size) => size === 2e6))
    for (const [at, { input }] of shown.entries())
      if (sizes[at] !== 2e6) {
        expect(input.event === (bodies[at] || null)).toBe(true)
        expect(input.event_raw === bodies[at]).toBe(true)
      }
    const large = shown[1]!
    expect(large.input_omitted).toEqual({ bytes: 2e6, url: `/api/runs/${runs[1]}` })
    expect(large.input).toMatchObject({
      mine: 1,
      source: 'webhook',
      request: { body_bytes: 2e6 },
      body_omitted: true,
    })
    // null would mean that there was no body.
    expect(large.input).not.toHaveProperty('event')
    expect(large.input).not.toHaveProperty('event_raw')
    const whole: RunRecord = await (await owner.api(large.input_omitted!.url)).json()
    expect(whole).not.toHaveProperty('input_omitted')
    expect(whole.input.event_raw === bodies[1]).toBe(true)
    expect(queueOfRun(runs[1]!).name).toBe(id)
  })
})
