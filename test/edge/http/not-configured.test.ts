import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../edge/env.ts'
import { BINDINGS } from '../../../edge/settings.ts'
import worker from '../../../edge/worker.ts'
import { env, unknownTriggerId } from '../app.ts'

const CANARY = 'canary-2f81'

const lines: string[] = []
beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

/** Faults of different kinds: missing, malformed, malformed JSON, and a rule that concerns two settings. */
const FAULTY: Partial<Record<keyof Env, unknown>> = {
  PUBLIC_URL: undefined,
  CHANNEL_PSK: CANARY,
  CHAINS: `{"base":{"chain_id":1,"rpc":["ftp://${CANARY}"],"${CANARY}":1}}`,
  MAILER: `{"api":"${CANARY}"}`,
  SIM_ROOT_SHA256: undefined,
  SVC_LOG_LEVEL: CANARY,
}

const request = (path: string, init?: RequestInit<IncomingRequestCfProperties>) =>
  new Request<unknown, IncomingRequestCfProperties>(new URL(path, 'https://edge.test'), init)

async function respond(
  path: string,
  changes: object = FAULTY,
  init?: RequestInit<IncomingRequestCfProperties>,
) {
  const context = createExecutionContext()
  const response = await worker.fetch(request(path, init), { ...env, ...changes }, context)
  await waitOnExecutionContext(context)
  return response
}

describe('a deployment that is not configured', () => {
  it('names all faulty settings at /health with 503', async () => {
    const response = await respond('/health')
    expect(response.status).toBe(503)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = await response.json<{ settings: { name: string; fault: string }[] }>()
    expect(body).toMatchObject({ status: 'down', reasons: [{ code: 'not_configured' }] })
    expect(body.settings.map(({ name }) => name)).toEqual([
      'PUBLIC_URL',
      'CHANNEL_PSK',
      'CHAINS.base.rpc.0',
      'CHAINS.base',
      'MAILER.api',
      'MAILER.from',
      'MAILER.token',
      'SVC_LOG_LEVEL',
      'SIM_ROOT_SHA256',
    ])
    expect(body.settings[0]).toEqual({ name: 'PUBLIC_URL', fault: 'required' })
  })

  it('names every missing binding', async () => {
    for (const name of BINDINGS) {
      const response = await respond('/health', { [name]: undefined })
      const body = await response.json()
      expect(body).toMatchObject({ settings: [{ name, fault: /missing in wrangler.toml/ }] })
    }
  })

  it.each([
    ['/', {}],
    ['/', { headers: { accept: 'text/html' } }],
    ['/console', { headers: { accept: 'text/html' } }],
    ['/sign-in', { method: 'POST', body: 'email=a%40b.test' }],
    ['/api/triggers', { headers: { authorization: 'Bearer x' } }],
    ['/api/me', { method: 'OPTIONS' }],
    ['/core/v1/version', {}],
    ['/metrics', {}],
    ['/docs', {}],
    ['/health/', {}],
    ['/nothing', {}],
    ['/nothing', { headers: { host: 'x/health?' } }],
  ])('responds to %s with a JSON 503 (%j)', async (path, init) => {
    const response = await respond(path, FAULTY, init)
    expect(response.status).toBe(503)
    expect(response.headers.get('x-svc-error')).toBe('not_configured')
    expect(response.headers.get('retry-after')).toBe('300')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.json()).toEqual({
      error: 'service_unavailable',
      reason: 'not_configured',
      message: 'This deployment is not configured.',
      fix: 'The operator has to correct the settings that /health names.',
      docs_url: 'https://edge.test/docs/errors#not_configured',
    })
  })

  it('accepts no webhook', async () => {
    const init = { method: 'POST', body: '{}' }
    const response = await respond(`/webhook/${await unknownTriggerId()}`, FAULTY, init)
    expect(response.status).toBe(503)
    expect(response.headers.get('x-svc-error')).toBe('not_configured')
  })

  it('does nothing at its cron trigger', async () => {
    const getByName = vi.fn()
    await worker.scheduled(
      {} as ScheduledController,
      { ...env, ...FAULTY, SCHEDULER: { getByName } } as never,
    )
    expect(getByName).not.toHaveBeenCalled()
  })

  it('leaked secret: neither a response nor the log contains a value', async () => {
    const own = { ...env, ...FAULTY } as Env
    for (const path of ['/health', '/', '/health']) {
      const response = await worker.fetch(request(path), own, createExecutionContext())
      expect(await response.text()).not.toContain(CANARY)
    }
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'error',
      event: 'edge.not_configured',
      settings: expect.stringMatching(/PUBLIC_URL: required; CHANNEL_PSK: .*SIM_ROOT_SHA256: /),
    })
    expect(lines[0]).not.toContain(CANARY)
  })
})
