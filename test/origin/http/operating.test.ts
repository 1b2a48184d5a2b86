/** An origin as its operator sees it: health, metrics and log. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { ORIGIN_EVENTS } from '../../../origin/log/events.ts'
import {
  HEALTH_MESSAGES,
  HEALTH_REASON_CODES,
  type HealthReasonCode,
} from '../../../origin/health/reasons.ts'
import { METRICS_TYPE } from '../../../shared/wire/monitoring-paths.ts'
import { expressionsOf, unknownNames } from '../../monitoring-expressions.ts'
import { METRICS_TOKEN, startOrigin, type TestOrigin } from './origin.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/operate.md', import.meta.url)),
  'utf8',
)

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const metrics = async () => (await origin.call('/metrics', bearer(METRICS_TOKEN))).body as string
/** Value of one series, or 0 if it does not exist. */
async function valueOf(series: string): Promise<number> {
  const line = (await metrics()).split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
/** Log lines that are written while `act` runs. */
async function written(act: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const before = origin.lines.length
  await act()
  return origin.lines.slice(before).map((line) => JSON.parse(line))
}

describe('/metrics', () => {
  it('returns the Prometheus text format to holders of the token, uncached', async () => {
    const answer = await origin.call('/metrics', bearer(METRICS_TOKEN))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(METRICS_TYPE)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const line = /^(#.*|[a-z0-9_]+(\{([a-z]+="[^"\\\n]*",?)*\})? (-?[0-9.e+-]+|NaN))$/
    for (const text of (answer.body as string).trim().split('\n').filter(Boolean))
      expect(text).toMatch(line)
  })

  it.each([
    ['nothing', {}],
    ['another token', bearer('x'.repeat(32))],
    ['the beginning of the token', bearer(METRICS_TOKEN.slice(0, -1))],
    ['the token and more', bearer(`${METRICS_TOKEN}x`)],
    ['the token as an API key', { headers: { 'x-api-key': METRICS_TOKEN } }],
    ['the token under another scheme', { headers: { authorization: `Basic ${METRICS_TOKEN}` } }],
  ])('reveals nothing to a stranger who sends %s', async (_, request) => {
    const answer = await origin.call('/metrics', request)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(JSON.stringify(answer.body)).not.toContain(METRICS_TOKEN)
  })

  it('names the version and the commit of the software', async () => {
    const { version, commit } = origin.services.build
    const series = `svc_build_info{version="${version}",commit="${commit}"}`
    expect(await valueOf(series)).toBe(1)
  })

  it('does not accept the key of an account', async () => {
    expect((await origin.call('/metrics', { key })).status).toBe(401)
  })

  it('returns the same 404 as an unknown path if no token is set', async () => {
    const { SVC_METRICS_TOKEN: _, ...settings } = origin.services.settings
    const app = createOriginApp({
      ...origin.services,
      settings,
    })
    const bodies = await Promise.all(
      ['/metrics', '/metrix'].map((path) => origin.call(path, { app, ...bearer(METRICS_TOKEN) })),
    )
    expect(bodies.map(({ status }) => status)).toEqual([404, 404])
    expect(bodies[0]!.body).toEqual(
      JSON.parse(JSON.stringify(bodies[1]!.body).replace('metrix', 'metrics')),
    )
  })

  it('serves every documented metric, and documents every served one', async () => {
    const served = [...(await metrics()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!)
    const section =
      page.split('\n## ').find((part) => part.startsWith('Metrics of the origin')) ?? ''
    const documented = [...section.matchAll(/^\| `([a-z0-9_]+)`/gm)].map(([, name]) => name!)
    expect(documented.toSorted()).toEqual(served.toSorted())
  })

  it('counts requests by route, method and status, and never by path', async () => {
    const series = 'svc_requests_total{method="GET",route="none",status="404"}'
    const before = await valueOf(series)
    for (const path of [`/core/v1/${encodeURIComponent(key)}`, '/%00', '/core/v1/canary-path'])
      await origin.call(path)
    expect(await valueOf(series)).toBe(before + 3)
    await origin.call('/evidences/nothing.json')
    const text = await metrics()
    expect(text).toContain('svc_requests_total{method="GET",route="/evidences/:file",status="404"}')
    for (const made of [key, encodeURIComponent(key), '%00', 'canary-path'])
      expect(text).not.toContain(made)
  })

  it('memory exhaustion: counts made-up methods as one', async () => {
    const series = 'svc_requests_total{method="OTHER",route="none",status="404"}'
    const before = await valueOf(series)
    for (const method of ['BREW', 'WHEN', 'PROPFIND']) await origin.call('/nothing', { method })
    expect(await valueOf(series)).toBe(before + 3)
  })

  it('counts runs by outcome, with their duration and waiting time', async () => {
    const names = [
      'svc_runs_total{outcome="returned"}',
      'svc_runs_total{outcome="failed"}',
      'svc_run_duration_seconds_count{outcome="returned"}',
      'svc_run_wait_seconds_count',
    ]
    const read = () => Promise.all(names.map(valueOf))
    const before = await read()
    await origin.run(key, 'async function main() { return 1 }')
    await origin.run(key, 'async function main() { throw new Error("no") }')
    expect((await read()).map((value, n) => value - before[n]!)).toEqual([1, 1, 1, 2])
  })

  it('counts rejections by code, including those inside sealed responses', async () => {
    const unpaid = 'svc_refusals_total{status="402",error="payment_required"}'
    const before = await valueOf(unpaid)
    const poor = await origin.poor(0)
    const code = 'async function main() { return 1 }'
    await origin.run(poor, code)
    await origin.execute({ credential: { api_key: poor }, code })
    expect(await valueOf(unpaid)).toBe(before + 2)
  })

  it('shows the current state of the chain, the executors, the payers and the credit', async () => {
    expect(await valueOf('svc_mirror_block')).toBe(origin.services.mirror.block)
    expect(await valueOf('svc_mirror_age_seconds')).toBeLessThan(30)
    expect(await valueOf('svc_executors{state="free"}')).toBeGreaterThan(0)
    expect(await valueOf('svc_payer_balance_ether{payer="1"}')).toBeGreaterThan(0)
    expect(await valueOf('svc_accounts')).toBe(origin.services.mirror.current().size)
    expect(await valueOf('svc_credit_leases')).toBeGreaterThan(0)
  })

  it.each(['alerts.rules.yaml', 'slo.rules.yaml', 'origin.dashboard.json', 'edge.dashboard.json'])(
    'serves the metrics, labels and values that %s uses',
    async (file) => {
      await origin.call('/core/v1/svc_action', { key, body: { code: 'function main() {}' } })
      const text = readFileSync(
        fileURLToPath(new URL(`../../../docs/monitoring/${file}`, import.meta.url)),
        'utf8',
      )
      const isServed = (metric: string) => /^(svc_(?!edge_)|process_|nodejs_)/.test(metric)
      expect(unknownNames(expressionsOf(text), await metrics(), isServed)).toEqual([])
    },
  )

  it('shows charges until they are settled in the ledger', async () => {
    await origin.run(key, 'async function main() { return 1 }')
    expect(await valueOf('svc_credit_unsettled_cents')).toBeGreaterThan(0)
    await origin.services.credits.flush()
    expect(await valueOf('svc_credit_unsettled_cents')).toBe(0)
    expect(await valueOf('svc_credit_settlement_lag_seconds')).toBe(0)
  })
})

describe('/health', () => {
  const { broken } = { broken: () => origin.broken }
  afterEach(() =>
    Object.assign(broken(), {
      isDatabaseAway: false,
      areExecutorsBroken: false,
      isGasBudgetLow: false,
      gasUsedRatio: undefined,
      delayMs: 0,
      certificateMs: 40 * 24 * 60 * 60 * 1000,
    }),
  )

  it('is ok if nothing is wrong', async () => {
    const { status, body, headers } = await origin.call('/health')
    const { build } = origin.services
    expect([status, body]).toEqual([200, { status: 'ok', reasons: [], ...build }])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each<[HealthReasonCode, 200 | 503, Partial<TestOrigin['broken']>]>([
    ['database_away', 503, { isDatabaseAway: true }],
    ['executors_not_starting', 503, { areExecutorsBroken: true }],
    ['overloaded', 200, { delayMs: 500 }],
    ['gas_budget_low', 200, { isGasBudgetLow: true }],
    ['certificate_ends', 200, { certificateMs: 24 * 60 * 60 * 1000 }],
  ])('reports %s with status %i', async (code, status, what) => {
    Object.assign(broken(), what)
    const answer = await origin.call('/health')
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({
      status: status === 503 ? 'down' : 'degraded',
      reasons: [{ code, message: HEALTH_MESSAGES[code] }],
      ...origin.services.build,
    })
    expect(await valueOf(`svc_health_reason{code="${code}"}`)).toBe(1)
  })

  it('shows the used share of the gas budget in the metrics', async () => {
    broken().gasUsedRatio = 0.25
    expect(await valueOf('svc_gas_budget_used_ratio')).toBe(0.25)
  })

  it('reports all problems at once', async () => {
    Object.assign(broken(), { isDatabaseAway: true, delayMs: 500 })
    const { body } = await origin.call('/health')
    const codes = body.reasons.map(({ code }: { code: string }) => code)
    expect([body.status, codes]).toEqual(['down', ['database_away', 'overloaded']])
  })

  it('has every reason and every log event in docs/operate.md', () => {
    for (const name of [...HEALTH_REASON_CODES, ...Object.keys(ORIGIN_EVENTS)])
      expect(page).toContain(`\`${name}\``)
  })
})

describe('the access log', () => {
  it('has one line per request, with the route, the status, the duration and the request ID', async () => {
    let id: string | null = null
    const lines = await written(async () => {
      id = (await origin.call('/evidences/nothing.json?secret=canary')).headers.get('x-request-id')
    })
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        event: 'request.answered',
        method: 'GET',
        route: '/evidences/:file',
        status: 404,
        duration_ms: expect.any(Number),
        request_id: id,
      },
    ])
  })

  it('has the level debug for health and metrics', async () => {
    const lines = await written(() => origin.call('/health'))
    expect(lines).toMatchObject([{ level: 'debug', event: 'probe.answered', route: '/health' }])
  })
})

describe('a reader of the log', () => {
  const CANARY = 'canary-3f9'

  it('finds no key, code, parameter, result or console line, whatever the request', async () => {
    const wallet = await origin.wallet(key)
    const before = origin.lines.length
    const code = `async function main(p) { console.log('${CANARY} logged', p); if (p.fails) throw new Error(p.secret); return p }`
    for (const params of [{ secret: CANARY }, { secret: CANARY, fails: true }])
      await origin.run(key, code, params)
    await origin.core('svc_action', { key, text: `{"code": "${CANARY}` })
    await origin.core('svc_action', { key, body: { code: 1, [CANARY]: CANARY } })
    await origin.core('svc_action', { key: `${CANARY}${key}`, body: { code } })
    await origin.core(`list_groups?api_key=${CANARY}`, { key })
    await origin.call(`/core/v1/${CANARY}/${encodeURIComponent(key)}`)
    await origin.call('/core/v1/version', {
      headers: { cookie: CANARY, 'x-correlation-id': CANARY, 'user-agent': CANARY },
    })
    await origin.execute({ credential: { api_key: key }, code, js_params: { secret: CANARY } })
    const failing = origin.appThatCannotWrite(new Error(`${CANARY} ${key}`))
    await origin.core('create_wallet', { key, method: 'POST', app: failing })
    const lines = origin.lines.slice(before)
    expect(lines.length).toBeGreaterThan(12)
    expect(lines.join('')).toContain('"event":"request.failed"')
    for (const secret of [
      CANARY,
      key,
      encodeURIComponent(key),
      METRICS_TOKEN,
      wallet.wallet_address,
    ])
      expect(lines.filter((line) => line.includes(secret))).toEqual([])
  })

  it('log injection: finds no line from the console or the error of an action', async () => {
    const forged = '\\n{"level":"error","event":"origin.failed","message":"forged"}\\n'
    const code = `async function main() { console.log('${forged}'); console.error('${forged}'); throw new Error('${forged}') }`
    const lines = await written(() => origin.run(key, code))
    expect(lines.map(({ event }) => event)).toEqual([
      'run.started',
      'run.ended',
      'request.answered',
    ])
  })

  it('log injection: finds no correlation ID, path or method of a stranger', async () => {
    const lines = await written(() =>
      origin.call('/x%0a%7b%22event%22%3a%22forged%22%7d', {
        headers: { 'x-correlation-id': '{"event":"forged"}' },
      }),
    )
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain('forged')
  })
})
