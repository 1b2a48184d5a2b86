/**
 * Measures the sealed channel: an execution of 1 KiB from workerd to an origin and back, sealed and unsealed,
 * alternating.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { bodyLimit } from 'hono/body-limit'
import { createOriginApp } from '../../origin/app.ts'
import { readMembers } from '../../origin/http/json/members.ts'
import { requireFresh } from '../../origin/http/sealed.ts'
import { sealedExecuteOperation } from '../../origin/http/sealed-execute.ts'
import { choosePorts } from '../../origin/stack/ports.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { loadTls } from '../../origin/tls.ts'
import { fetchEvidence } from '../../shared/attestation/fetch-evidence.ts'
import { MODE_PSK } from '../../shared/envelope/format.ts'
import { validate } from '../../shared/json/json-body.ts'
import { CORE_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { startOrigin, type TestOrigin } from '../origin/http/origin.ts'
import type { Asked } from './channel/asked.ts'
import { runner } from './edge.ts'
import { median, report } from './report.ts'

const REQUEST_BYTES = 1024
const WINDOWS = 30
/** Sequential calls per window, so that the request to the Worker itself adds little to each. */
const CALLS = 20

export async function channel(): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const origin = await startOrigin()
  const { caFile, key, cert } = await loadTls(stateDir)
  const acmeAccount = JSON.stringify({ uri: 'https://localhost/acme/acct/1' })
  await origin.services.evidence.make({ domain: 'localhost', chain: cert, acmeAccount })
  const listener = getRequestListener(appWithUnsealed(origin).fetch)
  const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
    void listener(request, response)
  })
  server.keepAliveTimeout = 120_000
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const originUrl = `https://localhost:${(server.address() as AddressInfo).port}`
  const ports = await choosePorts({ SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' })
  const worker = runner('channel', join(stateDir, 'edge'), ports.edge, {
    EDGE_CONFIG: fileURLToPath(new URL('./channel/wrangler.toml', import.meta.url)),
    EDGE_BINDINGS: JSON.stringify(settingsFor(origin, originUrl)),
    NODE_EXTRA_CA_CERTS: caFile,
  })
  try {
    trustCa(caFile)
    await worker.waitForReady()
    const asked = await whatIsAsked(origin, originUrl)
    await measure(`http://localhost:${ports.edge}`, asked)
  } finally {
    await worker.stop()
    server.closeAllConnections()
    server.close()
    await origin.close()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

async function measure(url: string, asked: Omit<Asked, 'times'>): Promise<void> {
  const window = async (work: string): Promise<number> => {
    const body = JSON.stringify({ ...asked, times: CALLS })
    const began = performance.now()
    const response = await fetch(`${url}/${work}`, { method: 'POST', body })
    if (response.status !== 200) throw new Error(`${work}: ${await response.text()}`)
    return (performance.now() - began) / CALLS
  }
  const works = ['sealed', 'unsealed', 'seal', 'verify'] as const
  const taken = { sealed: [], unsealed: [], seal: [], verify: [] } as Record<string, number[]>
  for (const work of works) for (let n = 0; n < 5; n++) await window(work)
  for (let n = 0; n < WINDOWS; n++) for (const work of works) taken[work]!.push(await window(work))
  const of = (work: (typeof works)[number]) => median(taken[work]!)
  const [value, baseline] = [of('sealed'), of('unsealed')]
  const common = { bench: 'channel', unit: 'ms' }
  report({ ...common, metric: 'sealed_p50_ms', value, baseline, ratio: value / baseline })
  report({ ...common, metric: 'seal_cpu_ms', value: of('seal') })
  report({ ...common, metric: 'quote_verify_ms', value: of('verify') })
}

/** The origin's app with an additional route that runs the handler of sealed executions without the envelope. */
function appWithUnsealed({ services }: TestOrigin) {
  const app = createOriginApp(services)
  app.post('/bench/execute', bodyLimit({ maxSize: CORE_BODY_MAX_BYTES }), async (context) => {
    const text = Buffer.from(await context.req.arrayBuffer())
    const { schema, members } = sealedExecuteOperation
    const body = validate(schema, readMembers(text, members!))
    requireFresh(body, services.now())
    return context.json(
      await sealedExecuteOperation.handle(body, MODE_PSK, services, 2 * text.length, {
        origin: null,
        address: '',
        requestId: '',
      }),
    )
  })
  return app
}

function settingsFor({ services, rootPin }: TestOrigin, originUrl: string) {
  return {
    SVC_ENV: 'local',
    ORIGIN_URL: originUrl,
    PUBLIC_URL: 'http://localhost',
    ORIGIN_TRUST: 'simulated',
    SIM_ROOT_SHA256: rootPin,
    CHANNEL_PSK: Buffer.from(services.channel.keys.psk).toString('base64url'),
    ID_MAC_KEY: randomBytes(32).toString('base64url'),
  }
}

async function whatIsAsked(origin: TestOrigin, originUrl: string): Promise<Omit<Asked, 'times'>> {
  const request = {
    credential: { api_key: await origin.account() },
    code: 'const main = ({ n }) => n + 1',
    js_params: { n: 1, filling: '' },
    wait_ms: 5_000,
  }
  request.js_params.filling = 'x'.repeat(REQUEST_BYTES - JSON.stringify(request).length)
  const nonce = new Uint8Array(randomBytes(32))
  const bundle = await fetchEvidence({ baseUrl: originUrl, fetch, nonce, now: Date.now })
  return { request, bundle }
}
