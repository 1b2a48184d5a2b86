/** Metrics and logs of the edge, as an operator sees them. */
import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import page from '../../../docs/operate.md?raw'
import alertRules from '../../../docs/monitoring/alerts.rules.yaml?raw'
import edgeDashboard from '../../../docs/monitoring/edge.dashboard.json?raw'
import originDashboard from '../../../docs/monitoring/origin.dashboard.json?raw'
import sloRules from '../../../docs/monitoring/slo.rules.yaml?raw'
import packageFile from '../../../package.json' with { type: 'json' }
import { settingsOf } from '../../../edge/env.ts'
import { EVENTS } from '../../../edge/log-events.ts'
import { REASONS } from '../../../edge/health/reasons.ts'
import { METRICS_OBJECT } from '../../../edge/metrics/counts.ts'
import { readHealthSnapshot } from '../../../edge/health/health-snapshot.ts'
import { exposition } from '../../../edge/metrics/exposition.ts'
import { gaugesOf } from '../../../edge/metrics/read-samples.ts'
import { METRICS } from '../../../edge/metrics/definitions.ts'
import {
  SERIES_MAX,
  SERIES_MAX_CHARACTERS,
  STORE_INTERVAL_MS,
} from '../../../edge/metrics/edge-metrics.ts'
import worker from '../../../edge/worker.ts'
import { METRICS_TYPE } from '../../../shared/wire/monitoring-paths.ts'
import { expressionsOf, unknownNames } from '../../monitoring-expressions.ts'
import { createTrigger, db, edge, env, fire, runOnce, someOwner } from '../app.ts'
import { edgeWith } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const metrics = async () => (await edge('/metrics', bearer(env.METRICS_TOKEN!))).text()
async function valueOf(series: string): Promise<number> {
  const line = (await metrics()).split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
/** Waits until the count grows: each request flushes the counts of earlier ones. */
const grows = (series: string, than: number) =>
  vi.waitUntil(async () => (await valueOf(series)) > than, { timeout: 15_000, interval: 100 })

/** Collects log lines of all levels. */
function lines(): Record<string, unknown>[] {
  const seen: Record<string, unknown>[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void seen.push(JSON.parse(line)))
  return seen
}

describe('/metrics of the edge', () => {
  it('uses the Prometheus text format, requires the token, and is not cached', async () => {
    const response = await edge('/metrics', bearer(env.METRICS_TOKEN!))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(METRICS_TYPE)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const line = /^(# (HELP|TYPE) .*|[a-z_]+(\{([a-z]+="[^"\\\n]*",?)*\})? (-?[0-9.e+-]+|\+Inf))$/
    for (const text of (await response.text()).trim().split('\n').filter(Boolean))
      expect(text).toMatch(line)
  })

  it.each([
    ['nothing', {}],
    ['another token', bearer('x'.repeat(32))],
    ['the beginning of the token', bearer(env.METRICS_TOKEN!.slice(0, -1))],
    ['the token and more', bearer(`${env.METRICS_TOKEN!}x`)],
    ['the token in the query', { query: `?token=${env.METRICS_TOKEN!}` }],
  ])('stranger: returns 401 for %s', async (_, { query = '', ...init }: any) => {
    const response = await edge(`/metrics${query}`, init)
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await response.text()).not.toContain('svc_edge')
  })

  it('names the version and the commit of the Worker', async () => {
    const { version } = packageFile
    expect(
      await valueOf(`svc_edge_build_info{version="${version}",commit="${env.SVC_COMMIT}"}`),
    ).toBe(1)
  })

  it('rejects the token of an agent', async () => {
    const owner = await someOwner()
    expect((await owner.api('/metrics')).status).toBe(401)
  })

  it('returns the same 404 as an unknown path if no token is configured', async () => {
    const app = edgeWith({ METRICS_TOKEN: undefined })
    const [one, other] = [await app('/metrics', bearer('x'.repeat(32))), await app('/metrix')]
    expect([one.status, await one.text()]).toEqual([404, await other.text()])
  })

  it('serves exactly the documented metrics', async () => {
    const served = [...(await metrics()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!)
    expect(served).toEqual(Object.keys(METRICS))
    const section = page.split('\n## ').find((part) => part.startsWith('Metrics of the edge')) ?? ''
    const documented = [...section.matchAll(/^\| `([a-z0-9_]+)`/gm)].map(([, name]) => name!)
    expect(documented.toSorted()).toEqual(served.toSorted())
  })

  it('counts webhooks and the runs that they start', async () => {
    const webhooks = 'svc_edge_requests_total{method="POST",route="/webhook/:id",status="202"}'
    const taken = 'svc_edge_request_duration_seconds_count{of="webhook"}'
    const ended = 'svc_edge_runs_ended_total{status="success"}'
    const before = [await valueOf(webhooks), await valueOf(taken), await valueOf(ended)]
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    await runOnce(owner, await fire(id))
    await grows(webhooks, before[0]!)
    await grows(taken, before[1]!)
    await grows(ended, before[2]!)
  })

  it('counts triggers by kind, and never contains a trigger ID', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    const text = exposition(await freshObject().read())
    expect(text).toMatch(/^svc_edge_triggers\{kind="webhook",enabled="true"\} [1-9]/m)
    await edge(`/api/triggers/${id}`)
    await edge(`/canary-${id}`)
    await fire(id)
    expect(await metrics()).not.toContain(id)
  })

  it('includes the chains and the origin', async () => {
    const text = await metrics()
    expect(text).toMatch(/^svc_edge_chain_watching\{chain="base"\} [01]$/m)
    expect(text).toMatch(/^svc_edge_chain_endpoints\{chain="base",state="[a-z_]+"\} 1$/m)
    expect(text).toMatch(/^svc_edge_origin_verified_seconds_left [0-9.]+$/m)
    for (const code of REASONS) expect(text).toContain(`svc_edge_health_reason{code="${code}"} `)
  })

  it('serves the metrics, labels and values that the alert rules and dashboards use', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    await fire(id)
    const disabled = await createTrigger(owner, { enabled: false })
    await edge(`/webhook/${disabled.id}`, { method: 'POST', body: '{}' })
    await edge('/core/v1/version')
    const chain = { chain: 'base', watching: true, head: 1, lag_blocks: 0, rpc: [] }
    const snapshot = await readHealthSnapshot(env, {
      db,
      settings: settingsOf(env),
      watcherOf: (name) => env.CHAIN_WATCHER.getByName(name),
      now: Date.now,
    })
    const chains = [{ ...snapshot.chains[0]!, ...chain, answered_at: new Date().toISOString() }]
    const gauges = exposition(gaugesOf({ ...snapshot, chains }, Date.now()))
    const awaited = ['route="/core/v1/*"', 'error="trigger_disabled"']
    const text = await vi.waitUntil(
      async () => {
        const now = await metrics()
        return awaited.every((part) => now.includes(part)) && now
      },
      { timeout: 60_000, interval: 100 },
    )
    // The number of triggers is cached for some minutes, and nothing watches a chain here.
    const whole = [text, exposition(await freshObject().read()), gauges].join('\n')
    const files = [alertRules, sloRules, originDashboard, edgeDashboard]
    const isServed = (metric: string) => metric.startsWith('svc_edge_')
    expect(unknownNames(files.flatMap(expressionsOf), whole, isServed)).toEqual([])
  })

  it('drops counts if the metrics object fails, without delaying or failing a response', async () => {
    const away = {
      getByName: () => ({
        add: () => Promise.reject(new Error('away')),
        read: () => Promise.reject(new Error('away')),
      }),
    }
    const app = edgeWith({ EDGE_METRICS: away as unknown as typeof env.EDGE_METRICS })
    const response = await app('/metrics', bearer(env.METRICS_TOKEN!))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('svc_edge_origin_verified_seconds_left')
  })
})

const freshObject = () => env.EDGE_METRICS.getByName(`${METRICS_OBJECT} ${crypto.randomUUID()}`)

describe('the metrics object', () => {
  it('sums the counts of all isolates, and keeps them across an eviction', async () => {
    const name = crypto.randomUUID()
    const object = () => env.EDGE_METRICS.getByName(name)
    await object().add([
      ['a', 1],
      ['b', 0.5],
    ])
    await object().add([['a', 2]])
    await vi.waitUntil(
      () =>
        runInDurableObject(object(), async (_, { storage }) => {
          const stored = await storage.get<Map<string, number>>('counts')
          return stored?.get('a') === 3
        }),
      { timeout: 3 * STORE_INTERVAL_MS, interval: 500 },
    )
    await runInDurableObject(object(), (_, state) => state.abort('evicted')).catch(() => {})
    const sums = await object().read()
    expect([sums.get('a'), sums.get('b')]).toEqual([3, 0.5])
  })

  it('storage exhaustion: drops series with long names', async () => {
    const object = freshObject()
    const [longest, tooLong] = [
      'x'.repeat(SERIES_MAX_CHARACTERS),
      'y'.repeat(SERIES_MAX_CHARACTERS + 1),
    ]
    await object.add([
      [longest, 1],
      [tooLong, 1],
    ])
    const sums = await object.read()
    expect([sums.get(longest), sums.get(tooLong)]).toEqual([1, undefined])
  })

  it('storage exhaustion: stores the most and longest series that it accepts', async () => {
    const object = freshObject()
    const made = Array.from({ length: SERIES_MAX }, (_, n): [string, number] => [
      `made_${n}`.padEnd(SERIES_MAX_CHARACTERS, 'x'),
      0.1 + n,
    ])
    await object.add(made)
    const stored = await runInDurableObject(object, (_, { storage }) =>
      storage.get<Map<string, number>>('counts'),
    )
    expect(stored?.size).toBe(SERIES_MAX)
  })

  it('writes the counts of many isolates at once, at most every ten seconds', async () => {
    const object = freshObject()
    await object.add([['a', 1]])
    const stored = () =>
      runInDurableObject(object, async (_, { storage }) => {
        const counts = await storage.get<Map<string, number>>('counts')
        return counts?.get('a')
      })
    expect(await stored()).toBe(1)
    for (let n = 0; n < 100; n++) await object.add([['a', 1]])
    expect((await object.read()).get('a')).toBe(101)
    expect(await stored()).toBe(1)
    await vi.waitUntil(async () => (await stored()) === 101, {
      timeout: 3 * STORE_INTERVAL_MS,
      interval: 500,
    })
  })

  it('storage exhaustion: drops series beyond the limit', async () => {
    const object = freshObject()
    const made = Array.from({ length: 6_000 }, (_, n): [string, number] => [`made_${n}`, 1])
    await object.add(made)
    await object.add([
      ['made_1', 1],
      ['one_more', 1],
    ])
    const sums = await object.read()
    expect([...sums.keys()].filter((name) => name.startsWith('made_'))).toHaveLength(5_000)
    expect([sums.get('made_1'), sums.get('one_more')]).toEqual([2, undefined])
  })
})

it('metric forgery: shows only known metrics', () => {
  expect(
    exposition([
      ['svc_edge_chain_head', 1],
      ['forged_total', 1],
    ]),
  ).not.toContain('forged')
})

/** Calls the Worker itself, with log level info. */
async function talkative(path: string, init?: RequestInit): Promise<Response> {
  const context = createExecutionContext()
  const request = new Request(new URL(path, 'https://edge.test'), init)
  return worker.fetch(request as never, { ...env, SVC_LOG_LEVEL: 'info' }, context)
}

describe('the access log of the edge', () => {
  it('has one line per request, with the route and request ID and nothing that was sent', async () => {
    const seen = lines()
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    seen.length = 0
    const webhook = await talkative(`/webhook/${id}?canary=1`, {
      method: 'POST',
      body: 'canary',
      headers: { 'x-canary': 'canary', authorization: 'Bearer canary' },
    })
    await vi.waitUntil(() => seen.some(({ route }) => route === '/webhook/:id'))
    expect(seen.filter(({ event }) => event === 'request.answered')).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        event: 'request.answered',
        method: 'POST',
        route: '/webhook/:id',
        status: 202,
        duration_ms: expect.any(Number),
        request_id: webhook.headers.get('x-request-id'),
      },
    ])
    expect(JSON.stringify(seen)).not.toContain('canary')
    expect(JSON.stringify(seen)).not.toContain(id)
  })

  it('omits lines below the configured level', async () => {
    const seen = lines()
    await talkative('/health')
    expect(seen.filter(({ event }) => event === 'probe.answered')).toEqual([])
  })

  it.each([
    ['/api/triggers/somebody-elses', '/api/triggers/:id', 401],
    ['/webhook/somebody-elses', '/webhook/:id', 404],
    ['/core/v1/somebody-elses', '/core/v1/*', undefined],
    ['/somebody-elses', 'none', 404],
    ['/api/somebody-elses/x', 'none', 404],
  ])('logs %s as the route %s', async (path, route, status) => {
    const seen = lines()
    const response = await talkative(path)
    if (status !== undefined) expect(response.status).toBe(status)
    expect(seen.find(({ event }) => event === 'request.answered')).toMatchObject({ route })
    expect(JSON.stringify(seen)).not.toContain('somebody-elses')
  })
})

it('documents every reason and log event in docs/operate.md', () => {
  for (const name of [...REASONS, ...Object.keys(EVENTS)]) expect(page).toContain(`\`${name}\``)
})
