/** Two origins with one root key and a certificate each, behind one name. */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { trustSettings } from '../../../edge/trust/trust-settings.ts'
import { verifyOriginEvidence } from '../../../edge/trust/verify-origin.ts'
import { startNameServer } from '../../../origin/stack/name-server.ts'
import { simulatedAppCompose } from '../../../origin/tee/simulated-app-compose.ts'
import { SimulatedProvider, simulatedPinOf } from '../../../origin/tee/simulated/provider.ts'
import { fetchEvidence } from '../../../shared/attestation/fetch-evidence.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { gatherEvidence } from '../../../shared/cli/verify/gather-evidence.ts'
import { captureCertificates } from '../../../shared/cli/verify/served-certificate.ts'
import { verifyOrigin } from '../../../shared/client/verification/trusted-origin.ts'
import { type Authority, makeAuthority } from '../../doubles/certificates.ts'
import { type LoadBalancer, localServers, startLoadBalancer } from '../../doubles/load-balancer.ts'
import { evidenceApp } from '../tee/evidence-app.ts'

const TIMES = 100
const ACCOUNT = 'https://ca.example/acme/acct/1'
const ROOT = randomBytes(32)
const policy = {
  root: { kind: 'simulated', spkiSha256: simulatedPinOf(ROOT) },
  statuses: ['UpToDate'],
} as const

let authority: Authority
let servers: Server[]
let proxy: LoadBalancer
let names: Awaited<ReturnType<typeof startNameServer>>
let baseUrl: string
beforeAll(async () => {
  authority = await makeAuthority()
  servers = await Promise.all([startOrigin(), startOrigin()])
  proxy = await startLoadBalancer(localServers(servers.map(portOf)))
  names = await startNameServer('localhost', ACCOUNT)
  baseUrl = `https://localhost:${proxy.port}`
})
afterAll(async () => {
  proxy?.close()
  await names?.close()
  for (const server of servers ?? []) server.close().closeAllConnections()
})

const portOf = (server: Server) => (server.address() as AddressInfo).port
const random = (bytes: number) => new Uint8Array(randomBytes(bytes))

async function startOrigin(): Promise<Server> {
  const { cert, key } = await authority.issue({ names: ['localhost'] })
  const machine = { appCompose: simulatedAppCompose(undefined, 'local') }
  const { app, clock, evidence } = evidenceApp(new SimulatedProvider(ROOT, machine, Date.now), ROOT)
  clock.at = Date.now()
  const acmeAccount = `${JSON.stringify({ uri: ACCOUNT })}\n`
  await evidence.make({ domain: 'localhost', chain: `${cert}\n`, acmeAccount })
  const respond = getRequestListener(app.fetch)
  const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (incoming, outgoing) => {
    void respond(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Calls `use` with a `fetch` that has its own connections, as in a separate client. */
async function withNetwork<Result>(use: (send: typeof fetch) => Promise<Result>): Promise<Result> {
  const dispatcher = new Agent({ connect: { ca: authority.pem } })
  const send = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher })
  try {
    return await use(send as unknown as typeof fetch)
  } finally {
    await dispatcher.destroy()
  }
}

async function repeat<Result>(verify: () => Promise<Result>, times = TIMES): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < times) results.push(...(await Promise.all([1, 2, 3, 4].map(verify))))
  return results
}

describe('verification behind a round-robin proxy', () => {
  it('passes 100 times with svc verify, which checks the certificate of each connection', async () => {
    const reports = await repeat(async () => {
      const { bundle } = await gatherEvidence({
        url: new URL(baseUrl),
        authority: authority.pem,
        rpcUrl: undefined,
        dnsServer: names.address,
        collateral: undefined,
        timeoutMs: 30_000,
        now: Date.now,
        random,
      })
      const certificate = bundle.served_certificate!.der_base64
      return { certificate, report: await verifyBundle(bundle, policy, new Date()) }
    })
    for (const { report } of reports)
      expect(report.rules.map(({ outcome }) => outcome)).toEqual([
        ...Array<string>(6).fill('passed'),
        'not_applicable',
      ])
    expect(new Set(reports.map(({ certificate }) => certificate)).size).toBe(2)
  })

  it('passes 100 times in the edge', async () => {
    const settings = {
      ...z.object(trustSettings).parse({
        ORIGIN_TRUST: 'simulated',
        SIM_ROOT_SHA256: policy.root.spkiSha256,
      }),
      ORIGIN_URL: baseUrl,
    }
    const verified = await repeat(() =>
      withNetwork((fetch) => verifyOriginEvidence({ settings, fetch, random, now: Date.now })),
    )
    expect(verified).toHaveLength(TIMES)
    const keys = verified.map(({ keys: { channel } }) => Buffer.from(channel).toString('hex'))
    expect(new Set(keys).size).toBe(1)
  })

  it('passes in the client, which fetches the same evidence as the edge', async () => {
    const verified = await repeat(
      () => withNetwork((fetch) => verifyOrigin({ baseUrl, fetch, policy, random, now: Date.now })),
      8,
    )
    expect(verified).toHaveLength(8)
  })
})

describe('attacks', () => {
  it('stolen certificate: recorded evidence of one machine with a live quote of another is rejected', async () => {
    const fetched = await Promise.all(
      servers.map((server) =>
        withNetwork((fetch) =>
          fetchEvidence({
            baseUrl: `https://localhost:${portOf(server)}`,
            fetch,
            nonce: new Uint8Array(32),
            now: Date.now,
          }),
        ),
      ),
    )
    const [recorded, live] = fetched
    const forged = { ...live!, files: recorded!.files }
    for (const honest of fetched)
      expect((await verifyBundle(honest, policy, new Date())).verdict).toBe('SIMULATED')
    const { verdict, rules } = await verifyBundle(forged, policy, new Date())
    expect([verdict, rules[0]!.outcome]).toEqual(['FAILED', 'failed'])
    expect(rules[0]!.reason).toContain('or by another machine')
  })

  it('another machine at the end of the connection: its certificate is not in the evidence', async () => {
    const [first, second] = servers.map((server) => `https://localhost:${portOf(server)}`)
    const watched = captureCertificates(authority.pem)
    await (await watched.fetch(`${first}/attestation`, {})).text()
    const evidence = await withNetwork((fetch) =>
      fetchEvidence({ baseUrl: second!, fetch, now: Date.now }),
    )
    await watched.close()
    const served_certificate = { der_base64: watched.served()[0]!.toString('base64') }
    const { rules } = await verifyBundle({ ...evidence, served_certificate }, policy, new Date())
    expect(rules[4]!.reason).toContain('is not in the evidence')
  })
})
