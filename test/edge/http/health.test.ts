import { runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import type { OriginTrust } from '../../../edge/trust/origin-trust.ts'
import { type EvidenceVariant, VARIANT_HEADER } from '../../doubles/evidence-variants.ts'
import { env } from '../app.ts'
import { between } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

/** An edge with an object of its own, and what its `/health` says. */
function someEdge() {
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(crypto.randomUUID())
  const app = createApp()
  let calls = 0
  const own = {
    ...env,
    ORIGIN_TRUST_OBJECT: {
      getByName: () => (calls++, trust),
    } as unknown as typeof env.ORIGIN_TRUST_OBJECT,
  }
  const health = async () => {
    const response = await app.fetch(new Request('https://edge.test/health'), own)
    return { status: response.status, body: await response.json<any>() }
  }
  const verify = () =>
    runInDurableObject(trust, (instance: OriginTrust) => instance.keys(false).catch(() => {}))
  return { trust, health, verify, calls: () => calls }
}
const NOTHING = {
  trust: 'simulated',
  verdict: null,
  verified_at: null,
  verified_until: null,
  root: null,
  tcb_status: null,
  app_id: null,
  compose_hash: null,
  measurements: null,
}

describe('/health', () => {
  it('before anything is verified: 200, degraded, and it begins no verification', async () => {
    const { health, calls } = someEdge()
    const left = between()
    const body = { status: 'degraded', origin: { ...NOTHING, reason: 'not_verified_yet' } }
    expect(await health()).toEqual({ status: 200, body })
    expect([left, calls()]).toEqual([[], 1])
  })

  it('says what was verified, when, until when, and under which root', async () => {
    const { health, verify } = someEdge()
    const before = Date.now()
    await verify()
    const { status, body } = await health()
    expect([status, body.status]).toEqual([200, 'ok'])
    const { verified_at, verified_until, ...origin } = body.origin
    const [machine] = JSON.parse(env.ORIGIN_MEASUREMENTS ?? '')
    expect(origin).toEqual({
      trust: 'simulated',
      verdict: 'SIMULATED',
      root: {
        kind: 'simulated',
        name: expect.stringContaining('SIMULATED'),
        spki_sha256: env.SIM_ROOT_SHA256,
      },
      tcb_status: 'UpToDate',
      app_id: env.ORIGIN_APP_ID,
      compose_hash: env.ORIGIN_COMPOSE_HASHES,
      measurements: { ...machine, rtmr3: expect.stringMatching(/^[0-9a-f]{96}$/) },
    })
    expect(Date.parse(verified_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(verified_until)).toBeGreaterThan(Date.parse(verified_at))
  })

  it.each<[EvidenceVariant | 'nobody', string]>([
    ['another root', 'refused_quote'],
    ['another app', 'refused_compose_hash'],
    ['his own key', 'refused_evidence_files'],
    ['nobody', 'origin_away'],
  ])('an origin with %s: degraded, by the reason’s name alone', async (variant, reason) => {
    const { health, verify } = someEdge()
    between((request, send) => {
      if (variant === 'nobody') return Promise.reject(new Error('refused'))
      request.headers.set(VARIANT_HEADER, variant)
      return send(request)
    })
    await verify()
    const body = { status: 'degraded', origin: { ...NOTHING, reason } }
    expect(await health()).toEqual({ status: 200, body })
  })

  it('verified, and refused when it was verified again: what holds until its end, and why not longer', async () => {
    const { trust, health, verify } = someEdge()
    await verify()
    between(() => new Response('forged'))
    await runInDurableObject(trust, async (instance: OriginTrust) => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2_000)
      await instance.keys(true).catch(() => {})
      clock.mockRestore()
    })
    expect((await health()).body).toMatchObject({
      status: 'degraded',
      origin: { verdict: 'SIMULATED', reason: 'origin_away' },
    })
  })

  it('a flood of anybody’s questions does not reach the object that gives the keys', async () => {
    const { health, calls } = someEdge()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    for (let asked = 0; asked < 50; asked++) await health()
    expect(calls()).toBe(1)
    clock.mockReturnValue(Date.now() + 1_000)
    await health()
    expect(calls()).toBe(2)
  })

  it('once the time is over nothing is verified any more', async () => {
    const { health, verify } = someEdge()
    await verify()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 60 * 60 * 1000)
    expect((await health()).body).toMatchObject({ status: 'degraded', origin: { verdict: null } })
  })
})
