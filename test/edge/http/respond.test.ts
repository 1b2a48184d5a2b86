import { describe, expect, it } from 'vitest'
import { HELD_RESPONSES_MAX } from '../../../shared/limits.ts'
import {
  CID,
  createTrigger,
  edge,
  kill,
  type Owner,
  runOnce,
  script,
  slow,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()

const responding = (...steps: Parameters<typeof script>) =>
  createTrigger(owner, { action_code: script(...steps), options: { respond: 'run' } })
const send = (id: string, init: RequestInit = {}) =>
  edge(`/webhook/${id}`, { method: 'POST', body: '{}', ...init })

async function answerOf(response: unknown) {
  const { id } = await responding(success(response))
  const answer = await send(id)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('options.respond', () => {
  it('returns the response of the action to the sender', async () => {
    const { status, headers, text } = await answerOf({
      status: 201,
      headers: { 'Content-Type': 'text/xml' },
      body: '<Response><Message>Hi</Message></Response>',
    })
    expect([status, headers.get('content-type')]).toEqual([201, 'text/xml'])
    expect(text).toBe('<Response><Message>Hi</Message></Response>')
    expect(headers.get('x-request-id')).toMatch(/./)
  })

  it.each([
    [{ type: 4, data: { content: 'hi' } }, '{"type":4,"data":{"content":"hi"}}'],
    [{ status: 'ok' }, '{"status":"ok"}'],
    [{ status: 200, extra: 1 }, '{"status":200,"extra":1}'],
    [[1, 2], '[1,2]'],
    [null, 'null'],
    [{}, '{}'],
  ])('returns %j as JSON with status 200', async (response, expected) => {
    const { status, headers, text } = await answerOf(response)
    expect([status, headers.get('content-type'), text]).toEqual([200, 'application/json', expected])
  })

  it('returns a text as text, and a body without a status with 200', async () => {
    const plain = await answerOf('pong')
    expect([plain.status, plain.headers.get('content-type'), plain.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'pong',
    ])
    const body = await answerOf({ body: { a: 1 } })
    expect([body.status, body.text]).toEqual([200, '{"a":1}'])
    const empty = await answerOf({ status: 204 })
    expect([empty.status, empty.text]).toEqual([204, ''])
  })

  it('returns 502 with the run ID and without the error if the run fails', async () => {
    const failure = {
      status: 'failed' as const,
      code: 'action_threw',
      message: 'canary',
      stack: 'canary',
    }
    const ended = { action_cid: CID, duration_ms: 1, logs: [], charged_cents: 0 }
    const { id } = await responding({ outcome: { ...ended, ...failure } })
    const answer = await send(id)
    expect(answer.status).toBe(502)
    const text = await answer.text()
    expect(text).not.toContain('canary')
    const { run_id, status }: { run_id: string; status: string } = JSON.parse(text)
    expect(status).toBe('failed')
    expect((await runOnce(owner, run_id)).status).toBe('failed')
  })

  it('returns the ordinary 202 if the run does not end in time', { timeout: 30_000 }, async () => {
    const { id } = await responding(slow(14_000))
    const began = Date.now()
    const answer = await send(id)
    expect([answer.status, Date.now() - began >= 9_900]).toEqual([202, true])
    expect(await answer.json()).toMatchObject({ status: 'queued', run_id: expect.any(String) })
  })

  it('returns the ordinary 202 if the object restarts during the wait', async () => {
    const { id } = await responding(slow(1_500))
    const pending = send(id)
    await expect.poll(() => sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)
    await kill(id)
    const answer = await pending
    expect(answer.status).toBe(202)
    const { run_id }: { run_id: string } = await answer.json()
    expect((await runOnce(owner, run_id)).status).toBe('success')
  })

  it('gives a duplicate the response of the first delivery', async () => {
    const { id } = await createTrigger(owner, {
      action_code: script(success('first'), success('second')),
      options: { respond: 'run', dedup: true },
    })
    const headers = { 'idempotency-key': 'k1' }
    expect(await (await send(id, { headers })).text()).toBe('first')
    expect(await (await send(id, { headers })).text()).toBe('first')
  })

  it.each([
    ['batch', { batch: { max_events: 2, max_ms: 8_000 } }],
    ['debounce_ms', { debounce_ms: 4_000 }],
  ])(
    'with %s, all senders get the response of the run that their events share',
    { timeout: 30_000 },
    async (_, collect) => {
      const { id } = await createTrigger(owner, {
        action_code: script(success('shared'), success('another run')),
        options: { respond: 'run', ...collect },
      })
      const answers = await Promise.all([send(id), send(id)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['shared', 'shared'])
      expect(await sql(id, 'SELECT 1 FROM runs')).toHaveLength(1)
    },
  )

  it('flood: at most a limited number of senders wait, and further ones get a 202', async () => {
    const { id } = await createTrigger(owner, {
      action_code: script(slow(4_000)),
      options: { respond: 'run', concurrency: 1 },
      max_queued_runs: 1_000,
    })
    const first = Array.from({ length: HELD_RESPONSES_MAX }, () => send(id))
    await expect.poll(() => sql(id, 'SELECT 1 FROM runs')).toHaveLength(HELD_RESPONSES_MAX)
    const began = Date.now()
    const further = await send(id)
    expect([further.status, Date.now() - began < 3_000]).toEqual([202, true])
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    await Promise.all(first)
  })

  it('is refused for other kinds', async () => {
    const response = await owner.api('/api/triggers', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'a',
        kind: 'schedule',
        config: { cron: '0 0 * * *' },
        action_code: script(success()),
        usage_api_key: 'usage-key',
        options: { respond: 'run' },
      }),
    })
    expect(response.status).toBe(422)
  })
})

describe('XSS: a trigger cannot host a page on the origin of the service', () => {
  const SCRIPT = '<script>alert(document.domain)</script>'

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/javascript',
    'multipart/x-mixed-replace; boundary=a',
    'text/html, application/json',
    'application/pdf',
    '',
  ])('%j is served as text', async (type) => {
    const { headers, text } = await answerOf({ headers: { 'content-type': type }, body: SCRIPT })
    expect(text).toBe(SCRIPT)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  })

  it.each(['text/xml', 'application/xml', 'application/json'])('%s is sandboxed', async (type) => {
    const { headers } = await answerOf({ headers: { 'content-type': type }, body: SCRIPT })
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('stolen session: cannot set cookies, policies or CORS', async () => {
    const { headers } = await answerOf({
      headers: {
        'Set-Cookie': 'session=stolen',
        'content-security-policy': "script-src 'unsafe-inline'",
        'access-control-allow-origin': '*',
        'cross-origin-opener-policy': 'unsafe-none',
        'x-content-type-options': 'off',
        'service-worker-allowed': '/',
        'clear-site-data': '"*"',
        refresh: '0;url=https://evil.test',
        location: 'https://evil.test',
        'transfer-encoding': 'chunked',
        'x-request-id': 'forged',
        'retry-after': '5',
        'content-language': 'en\r\nset-cookie: a=b',
      },
      body: 'a',
    })
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('content-security-policy')).toMatch(/^sandbox;/)
    for (const name of [
      'access-control-allow-origin',
      'service-worker-allowed',
      'clear-site-data',
      'refresh',
      'location',
      'content-language',
    ])
      expect(headers.get(name), name).toBeNull()
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).not.toBe('forged')
    expect(headers.get('retry-after')).toBe('5')
  })

  it.each([301, 302, 307, 101, 199, 600, 200.5, -1])(
    'open redirect: status %d is not sent',
    async (status) => {
      expect((await answerOf({ status, body: 'a' })).status).toBe(502)
    },
  )
})
