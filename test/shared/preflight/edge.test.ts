/** The preflight of an edge, with the evidence of an origin and chain nodes over HTTPS. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkEdge } from '../../../edge/preflight/check-edge.ts'
import {
  readWranglerConfig,
  type WranglerConfig,
  wranglerChecks,
} from '../../../edge/preflight/wrangler-config.ts'
import { freePort } from '../../../origin/stack/ports.ts'
import { trustCa } from '../../../origin/stack/trust-ca.ts'
import { makeAuthority } from '../../doubles/certificates.ts'
import { type ShownMachine, showMachine, startEvidenceHost } from '../../doubles/evidence-host.ts'
import { startWebServer, type WebServer } from '../../doubles/web-server.ts'

const WRANGLER_TOML = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url))
const CANARY = 'canary-2f81'

let folder: string
let machine: ShownMachine
let origin: Awaited<ReturnType<typeof startEvidenceHost>>
/** Nodes of chain 8453, and of another one. */
let nodes: WebServer[]
let config: WranglerConfig
let closedPort: number
let authorities: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-preflight-'))
  const authority = await makeAuthority()
  writeFileSync(join(folder, 'ca.pem'), authority.pem)
  authorities = getCACertificates('default')
  trustCa(join(folder, 'ca.pem'))
  machine = await showMachine(authority, 'https://ca.test/acct/1')
  origin = await startEvidenceHost(machine)
  const certificate = await authority.issue({ names: ['localhost'] })
  nodes = await Promise.all(
    [8453, 1].map((chainId) =>
      startWebServer(
        ({ body }, response) => {
          const { id } = JSON.parse(body) as { id: number }
          const answer = { jsonrpc: '2.0', id, result: `0x${chainId.toString(16)}` }
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(answer))
        },
        { certificate },
      ),
    ),
  )
  config = readWranglerConfig(filledIn(), 'staging')
  closedPort = await freePort()
})
afterAll(async () => {
  // Other files of the project share this process.
  setDefaultCACertificates(authorities)
  await Promise.all([origin?.close(), ...(nodes ?? []).map((node) => node.close())])
  rmSync(folder, { recursive: true, force: true })
})

/** Writes `wrangler.toml` with the values of a deployment instead of placeholders. */
function filledIn(change = (text: string) => text): string {
  const text = readFileSync(WRANGLER_TOML, 'utf8')
    .replaceAll('.fill-in.invalid', '.example.test')
    .replaceAll('edge.staging.example.test', 'staging.example.test')
    .replaceAll('00000000-0000-0000-0000-000000000000', '5e4c1d30-9a3b-4c43-9d4e-3a0f0f6f9d11')
  const file = join(folder, `wrangler-${randomBytes(4).toString('hex')}.toml`)
  writeFileSync(file, change(text))
  return file
}

const secret = () => randomBytes(32).toString('base64url')

const secrets = () => ({
  ORIGIN_URL: origin.url,
  SIM_ROOT_SHA256: machine.pin,
  CHANNEL_PSK: secret(),
  ID_MAC_KEY: secret(),
  CHAINS: JSON.stringify({
    base: { chain_id: 8453, rpc: [`https://localhost:${nodes[0]!.port}/${CANARY}`] },
  }),
  MAILER: JSON.stringify({ api: 'resend', from: 'no-reply@example.test', token: CANARY }),
})

async function check(changes: Record<string, string | undefined> = {}, own = config) {
  const vars = { ...secrets(), ...changes }
  const checks = await checkEdge({ config: own, env: 'staging', vars }, Date.now)
  const text = JSON.stringify(checks)
  for (const hidden of [vars.CHANNEL_PSK, vars.ID_MAC_KEY, CANARY])
    expect(text).not.toContain(hidden)
  return byName(checks)
}

const byName = (checks: { name: string; outcome: string; detail: string }[]) =>
  Object.fromEntries(checks.map(({ name, outcome, detail }) => [name, `${outcome}: ${detail}`]))

describe('the preflight of an edge', () => {
  it('accepts a complete configuration', async () => {
    expect(await check()).toEqual({
      'wrangler.toml': 'ok: Worker svc-edge-staging',
      routes: 'ok: staging.example.test',
      D1: 'ok: 5e4c1d30-9a3b-4c43-9d4e-3a0f0f6f9d11',
      bindings: 'ok: 8, with migrations',
      publication: 'ok: only at the routes, with logs and a cron trigger',
      settings: 'ok: complete',
      'CHAINS.base.rpc.0': 'ok: chain ID 8453',
      origin: expect.stringMatching(
        /^ok: SIMULATED, app ID [0-9a-f]{40}, compose hash [0-9a-f]{64}$/,
      ),
      mailer: 'ok: resend, as no-reply@example.test; sign in to test it',
    })
  })

  it('names all faults at once, of settings and of connections', async () => {
    const CHAINS = JSON.stringify({
      base: {
        chain_id: 8453,
        rpc: [`https://localhost:${nodes[1]!.port}`, `https://localhost:${closedPort}`],
      },
    })
    const found = await check({
      CHAINS,
      CHANNEL_PSK: 'short',
      MAILER: '{}',
      SIM_ROOT_SHA256: 'ab'.repeat(32),
    })
    expect(found).toMatchObject({
      CHANNEL_PSK: expect.stringMatching(/^fault: /),
      'MAILER.api': expect.stringMatching(/^fault: /),
      'CHAINS.base.rpc.0': 'fault: chain ID 1, expected 8453',
      'CHAINS.base.rpc.1': 'fault: unreachable',
      origin:
        'fault: the evidence fails the rule "quote": the root is simulated, but not the pinned one',
    })
  })

  it('staging passed off as production: rejects simulated evidence in production', async () => {
    const production = readWranglerConfig(filledIn(), 'production')
    const hash = machine.info.compose_hash
    const vars = {
      ...secrets(),
      SIM_ROOT_SHA256: undefined,
      ORIGIN_APP_ID: machine.info.app_id,
      ORIGIN_COMPOSE_HASHES: hash,
      ORIGIN_MEASUREMENTS: JSON.stringify([
        Object.fromEntries(
          ['mrtd', 'rtmr0', 'rtmr1', 'rtmr2'].map((name) => [name, 'ab'.repeat(48)]),
        ),
      ]),
    }
    const checks = await checkEdge({ config: production, env: 'production', vars }, Date.now)
    expect(byName(checks)).toMatchObject({
      settings: 'ok: complete',
      origin:
        'fault: the evidence fails the rule "quote": the root is simulated, but Intel\'s is required',
    })
  })

  it('staging settings in production: names each of them', async () => {
    const production = readWranglerConfig(filledIn(), 'production')
    const vars = { ...secrets(), ORIGIN_TRUST: 'simulated' }
    const found = byName(await checkEdge({ config: production, env: 'production', vars }, Date.now))
    expect(found).toMatchObject({
      ORIGIN_TRUST: 'fault: must be hardware in production',
      ORIGIN_APP_ID: 'fault: required in production',
      origin: 'skipped: the settings of its verification have a fault',
    })
  })

  it('reports an origin that cannot be reached, or is not trusted, by the reason', async () => {
    expect(await check({ ORIGIN_URL: `https://localhost:${closedPort}` })).toMatchObject({
      origin: 'fault: ORIGIN_URL: ECONNREFUSED',
    })
    const { certificate } = await showMachine(await makeAuthority(), 'https://ca.test/acct/1')
    const impostor = await startEvidenceHost(machine, { certificate })
    expect(await check({ ORIGIN_URL: impostor.url })).toMatchObject({
      origin: expect.stringMatching(/^fault: ORIGIN_URL: (UNABLE_TO|CERT_SIGNATURE|SELF_SIGNED)/),
    })
    await impostor.close()
  })

  it('lists the secrets that must exist if there is no file with them', async () => {
    const vars = { ORIGIN_URL: origin.url, SIM_ROOT_SHA256: machine.pin }
    const own = { ...config, vars: { ...config.vars, ...vars } }
    const checks = await checkEdge({ config: own, env: 'staging', vars: undefined }, Date.now)
    expect(byName(checks)).toMatchObject({
      settings: 'ok: complete',
      CHANNEL_PSK: expect.stringContaining(
        'skipped: a secret that must exist in wrangler secret list --env staging',
      ),
      ID_MAC_KEY: expect.stringContaining('skipped: a secret that must exist'),
      CHAINS: expect.stringContaining('skipped: an optional secret'),
      MAILER: expect.stringContaining('skipped: an optional secret'),
      METRICS_TOKEN: expect.stringContaining('skipped: an optional secret'),
      origin: expect.stringMatching(/^ok: SIMULATED/),
    })
  })
})

describe('wrangler.toml', () => {
  const found = (change: (text: string) => string) =>
    byName(wranglerChecks(readWranglerConfig(filledIn(change), 'staging'), 'staging'))

  it('is refused with the placeholders of the repository', () => {
    const checks = byName(
      wranglerChecks(readWranglerConfig(WRANGLER_TOML, 'production'), 'production'),
    )
    expect(checks).toMatchObject({
      routes: 'fault: still the placeholder: edge.fill-in.invalid',
      D1: expect.stringMatching(/^fault: database_id is still the placeholder/),
    })
  })

  it.each<[string, (text: string) => string, string, string]>([
    [
      'another environment',
      (text) => text.replace('SVC_ENV = "staging"', 'SVC_ENV = "production"'),
      'wrangler.toml',
      'env.staging.vars does not set SVC_ENV to staging',
    ],
    [
      'no route',
      (text) => text.replace(/^routes = .*staging.*$/m, ''),
      'routes',
      'none: the Worker has no address',
    ],
    [
      'a route for another host',
      (text) => text.replace('pattern = "staging.example.test"', 'pattern = "other.test"'),
      'routes',
      'none is for all paths of PUBLIC_URL',
    ],
    [
      'a route for some paths',
      (text) =>
        text.replace(
          '{ pattern = "staging.example.test", custom_domain = true }',
          '"staging.example.test/api/*"',
        ),
      'routes',
      'none is for all paths of PUBLIC_URL',
    ],
    [
      'a missing object',
      (text) =>
        text.replace(
          /\[\[env\.staging\.durable_objects\.bindings\]\]\nname = "EDGE_METRICS"\nclass_name = "EdgeMetrics"\n/,
          '',
        ),
      'bindings',
      'missing: EDGE_METRICS',
    ],
    [
      'a missing database',
      (text) => text.replace(/\[\[env\.staging\.d1_databases\]\][^[]*/, ''),
      'D1',
      'the binding DB is missing',
    ],
    [
      'an object without a migration',
      (text) => text.replace('new_sqlite_classes = ["EdgeMetrics"]', 'new_sqlite_classes = []'),
      'bindings',
      'no migration for EdgeMetrics',
    ],
    [
      'a second address',
      (text) => text.replace('workers_dev = false', 'workers_dev = true'),
      'publication',
      'workers_dev and preview_urls must be false',
    ],
    [
      'no logs',
      (text) => text.replace('[observability]\nenabled = true', '[observability]\nenabled = false'),
      'publication',
      'observability is disabled',
    ],
    [
      'no cron trigger',
      (text) => text.replace('crons = ["* * * * *"]', 'crons = []'),
      'publication',
      'there is no cron trigger',
    ],
    [
      'an old compatibility date',
      (text) =>
        text.replace('compatibility_date = "2026-11-01"', 'compatibility_date = "2026-09-01"'),
      'publication',
      'compatibility_date must be 2026-10-01 or later',
    ],
  ])('is refused with %s', (_what, change, name, reason) => {
    expect(found((text) => text)[name]).toMatch(/^ok: /)
    expect(found(change)[name]).toContain(`fault: ${reason}`)
  })

  it('names the file and the environment if it cannot be read', () => {
    const broken = filledIn((text) => `${text}\n[`)
    expect(() => readWranglerConfig(broken, 'staging')).toThrow(`${broken}, environment staging: `)
  })
})
