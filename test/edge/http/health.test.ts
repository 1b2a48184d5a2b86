import { runInDurableObject } from 'cloudflare:test'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Env } from '../../../edge/env.ts'
import type { ScanStatus } from '../../../edge/schedule/scheduler-object.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import type { OriginTrust } from '../../../edge/trust/origin-trust.ts'
import { type EvidenceVariant, VARIANT_HEADER } from '../../doubles/evidence-variants.ts'
import { type HealthSnapshot, reasonsOf } from '../../../edge/health/edge-health.ts'
import type { ChainRecord } from '../../../shared/wire/chains.ts'
import { env } from '../app.ts'
import { between } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

/** Creates an edge with its own trust object, and functions to use it. */
function someEdge(changes: Partial<Env> = {}, scan: () => ScanStatus = () => NEVER) {
  const trust = env.ORIGIN_TRUST_OBJECT.getByName(crypto.randomUUID())
  const app = createApp()
  let calls = 0
  const own = {
    ...env,
    // Other tests share the chains and the scanner, so both are replaced.
    CHAINS: undefined,
    SCHEDULER: {
      getByName: () => ({ status: async () => scan() }),
    } as unknown as typeof env.SCHEDULER,
    ...changes,
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
const NEVER: ScanStatus = { endedAt: undefined, late: 0, unanswered: 0 }

const BUILD = { version: packageFile.version, commit: env.SVC_COMMIT }

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
  it('is 200 and degraded before anything is verified, and starts no verification', async () => {
    const { health, calls } = someEdge()
    const left = between()
    const body = {
      ...BUILD,
      status: 'degraded',
      reasons: [
        {
          code: 'origin_not_verified_yet',
          message: 'The origin has not been verified yet. It is verified when it is first needed.',
        },
      ],
      origin: { ...NOTHING, reason: 'not_verified_yet' },
    }
    expect(await health()).toEqual({ status: 200, body })
    expect([left, calls()]).toEqual([[], 1])
  })

  it('reports the verification with its times, root and measurements', async () => {
    const { health, verify } = someEdge()
    const before = Date.now()
    await verify()
    const { status, body } = await health()
    expect([status, body.status, body.reasons]).toEqual([200, 'ok', []])
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
  ])('is degraded for an origin with %s, and names only the reason', async (variant, reason) => {
    const { health, verify } = someEdge()
    between((request, send) => {
      if (variant === 'nobody') return Promise.reject(new Error('refused'))
      request.headers.set(VARIANT_HEADER, variant)
      return send(request)
    })
    await verify()
    expect(await health()).toEqual({
      status: 200,
      body: {
        ...BUILD,
        status: 'degraded',
        reasons: [{ code: 'origin_not_verified', message: expect.stringContaining(reason) }],
        origin: { ...NOTHING, reason },
      },
    })
  })

  it('keeps the last verification until it expires if renewing it fails, and reports why', async () => {
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
      reasons: [{ code: 'origin_not_renewed' }],
      origin: { verdict: 'SIMULATED', reason: 'origin_away' },
    })
  })

  it('flood: does not pass repeated requests on to the trust object', async () => {
    const { health, calls } = someEdge()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    for (let asked = 0; asked < 50; asked++) await health()
    expect(calls()).toBe(1)
    clock.mockReturnValue(Date.now() + 1_000)
    await health()
    expect(calls()).toBe(2)
  })

  it('flood: does not query slow components once per request', async () => {
    let asked = 0
    let release = () => {}
    const slow = new Promise<void>((resolve) => (release = resolve))
    const slowly = { status: async () => (asked++ === 0 ? NEVER : slow.then(() => NEVER)) }
    const SCHEDULER = { getByName: () => slowly } as unknown as typeof env.SCHEDULER
    const { health } = someEdge({ SCHEDULER })
    await health()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000)
    const first = health()
    for (let question = 0; question < 20; question++)
      expect((await health()).status, 'while the first one waits').toBe(200)
    expect(asked).toBe(2)
    release()
    await first
  })

  it('reports no verification after it has expired', async () => {
    const { health, verify } = someEdge()
    await verify()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 60 * 60 * 1000)
    expect((await health()).body).toMatchObject({ status: 'degraded', origin: { verdict: null } })
  })

  it('is 503 with the reason if the database does not respond', async () => {
    const prepare = () => {
      throw new Error('D1_ERROR: D1 DB is overloaded. canary')
    }
    const { health } = someEdge({ DB: { prepare } as unknown as D1Database })
    const { status, body } = await health()
    expect([status, body.status]).toEqual([503, 'down'])
    expect(body.reasons[0]).toEqual({
      code: 'database_away',
      message: 'The database does not respond.',
    })
    expect(JSON.stringify(body)).not.toContain('canary')
  })

  it('reports a scanner that does not respond, or has finished no scan for minutes', async () => {
    const old = () => ({ ...NEVER, endedAt: Date.now() - 200_000 })
    const silent = () => {
      throw new Error('canary')
    }
    for (const scan of [old, silent]) {
      const { body } = await someEdge({}, scan).health()
      expect(body.reasons.map(({ code }: { code: string }) => code)).toContain('scanner_late')
      expect(JSON.stringify(body)).not.toContain('canary')
    }
  })
})

describe('the reasons of /health', () => {
  const now = Date.now()
  const origin = { ...NOTHING, verdict: 'SIMULATED' } as HealthSnapshot['origin']
  const chain = (over: object) =>
    ({
      chain: 'base',
      watching: true,
      poll_ms: 1_000,
      answered_at: new Date(now).toISOString(),
      lag_blocks: 0,
      ...over,
    }) as ChainRecord
  const codes = (over: object) =>
    reasonsOf(
      { origin, isDatabaseAway: false, scan: { ...NEVER, endedAt: now }, chains: [chain(over)] },
      now,
    ).map(({ code }) => code)

  it.each<[string, object, string[]]>([
    ['that answers', {}, []],
    [
      'whose nodes are silent',
      { answered_at: new Date(now - 90_000).toISOString() },
      ['chain_away'],
    ],
    ['whose nodes never answered', { answered_at: null }, ['chain_away']],
    ['whose watcher does not answer', { watching: null, answered_at: null }, ['chain_away']],
    ['that nobody needs', { watching: false, answered_at: null }, []],
    ['that is far behind', { lag_blocks: 101 }, ['chain_behind']],
    [
      'that is looked at each minute',
      { poll_ms: 60_000, answered_at: new Date(now - 90_000).toISOString() },
      [],
    ],
  ])('for a chain %s', (_, over, expected) => {
    expect(codes(over)).toEqual(expected)
  })
})
