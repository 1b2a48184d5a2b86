import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../edge/env.ts'
import { clientAddress } from '../../../edge/http/client-address.ts'
import { chooseMailer } from '../../../edge/identity/choose-mailer.ts'
import { noMailer } from '../../../edge/identity/mailer.ts'
import worker from '../../../edge/worker.ts'
import { ENVIRONMENT_NAMES, ENVIRONMENTS } from '../../../shared/config/environments.ts'
import { db, edge, env, random, unknownTriggerId } from '../app.ts'

const BANNER = ENVIRONMENTS.staging.banner!

async function staging(path: string, init?: RequestInit<IncomingRequestCfProperties>) {
  const context = createExecutionContext()
  const own: Env = { ...env, SVC_ENV: 'staging', CHAINS: undefined }
  const request = new Request<unknown, IncomingRequestCfProperties>(
    new URL(path, 'https://edge.test'),
    init,
  )
  const response = await worker.fetch(request, own, context)
  await waitOnExecutionContext(context)
  return response
}

const html = { headers: { accept: 'text/html' } }

describe('a staging deployment', () => {
  it.each(['/', '/sign-in', '/console', '/pay', '/verify', '/docs', '/docs/errors', '/nothing'])(
    'shows a banner on %s',
    async (path) => {
      const text = await (await staging(path, html)).text()
      expect(text).toContain(`<p class="environment" role="note">${BANNER}</p>`)
      expect(await (await edge(path, html)).text()).not.toContain(BANNER)
    },
  )

  it.each([
    ['/', html],
    ['/api/me', {}],
    ['/api/me', { method: 'OPTIONS', headers: { origin: 'https://x.test' } }],
    ['/core/v1/version', {}],
    ['/health', {}],
    ['/nothing', {}],
    ['/scripts/connect.js', {}],
  ])('names itself in a header of the response to %s (%j)', async (path, init) => {
    const response = await staging(path, init)
    expect(response.headers.get('x-svc-environment')).toBe('staging')
    expect((await edge(path, init)).headers.has('x-svc-environment')).toBe(false)
  })

  it('names itself to the sender of a webhook', async () => {
    const path = `/webhook/${await unknownTriggerId()}`
    const response = await staging(path, { method: 'POST', body: '{}' })
    expect(response.headers.get('x-svc-environment')).toBe('staging')
  })

  it('lets scripts of other sites read the header', async () => {
    const response = await staging('/api/me', { headers: { origin: 'https://x.test' } })
    expect(response.headers.get('access-control-expose-headers')).toContain('x-svc-environment')
  })

  it('uses the origin itself in the console, and accepts only the pinned root', async () => {
    const text = await (await staging('/console', html)).text()
    expect(text).toContain(
      `data-base-url="${new URL(env.ORIGIN_URL).origin}" data-verify="once" data-simulated-root="${env.SIM_ROOT_SHA256}"`,
    )
  })

  it('stolen sign-in link: has no local mailbox, and sends real mail', async () => {
    const local = { headers: { host: 'localhost:8787', accept: 'application/json' } }
    expect((await staging('/dev/mailbox', local)).status).toBe(404)
    const deps = { db, now: Date.now, random }
    const mailers = ENVIRONMENT_NAMES.map((SVC_ENV) => chooseMailer({ SVC_ENV }, deps))
    expect(mailers.map((mailer) => mailer === noMailer)).toEqual([false, true, true])
  })

  it('address forgery: trusts only the address from the platform', () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', 'cf-connecting-ip': '203.0.113.9' }
    const request = new Request('https://edge.test/', { headers })
    const addresses = ENVIRONMENT_NAMES.map((SVC_ENV) => clientAddress(request, { SVC_ENV }))
    expect(addresses).toEqual(['127.0.0.1', '203.0.113.9', '203.0.113.9'])
  })
})
