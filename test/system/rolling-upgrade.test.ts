/**
 * Replaces both machines of a deployment under load, with the steps of docs/operate.md. The machines stand behind one
 * name, have a certificate each, and get it from an ACME server.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { trustSettings } from '../../edge/trust/trust-settings.ts'
import { verifyOriginEvidence } from '../../edge/trust/verify-origin.ts'
import { loadRootKey } from '../../origin/keys/root-key-file.ts'
import { startNameServer } from '../../origin/stack/name-server.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { verifyBundle } from '../../shared/attestation/verify.ts'
import { gatherEvidence } from '../../shared/cli/verify/gather-evidence.ts'
import { createClient } from '../../shared/client/index.ts'
import { type AcmeServer, startAcmeServer } from '../doubles/acme-server.ts'
import { makeAuthority } from '../doubles/certificates.ts'
import { type LoadBalancer, localServers, startLoadBalancer } from '../doubles/load-balancer.ts'
import { startWebServer, type WebServer } from '../doubles/web-server.ts'
import { AccountHolder } from './account-holder.ts'
import { type OriginProcess, type Origins, startOrigins } from './origins.ts'

/** Clients of each kind: calls of actions, sealed calls of actions, and account writes. */
const CLIENTS = 2
const OPERATE = new URL('../../docs/operate.md', import.meta.url)
const NEW_COMMIT = 'b'.repeat(40)

let folder: string
let authority: Awaited<ReturnType<typeof makeAuthority>>
let acme: AcmeServer
let calls: WebServer
let world: Origins
/** What the name points at: TLS, and port 80 with the challenges. */
let name: LoadBalancer
let challenges: LoadBalancer
let nameServer: Awaited<ReturnType<typeof startNameServer>>
let holder: AccountHolder
let baseUrl: string
/** By state folder. */
const challengePorts = new Map<string, number>()
let nextChallengePort: number
let commit = 'a'.repeat(40)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-rolling-'))
  authority = await makeAuthority()
  writeFileSync(join(folder, 'ca.pem'), authority.pem)
  trustCa(join(folder, 'ca.pem'))
  calls = await startWebServer((_, response) => response.end('counted'))
  challenges = await startLoadBalancer([])
  acme = await startAcmeServer(authority, { challengePort: challenges.port })
  const ports = [await freePort(), await freePort()]
  challenges.use(localServers(ports))
  world = await startOrigins(2, {
    settings: (stateDir) => {
      const port = ports.shift() ?? nextChallengePort
      challengePorts.set(stateDir, port)
      return {
        SVC_DRAIN_MS: '20000',
        SVC_OUTBOUND_ALLOW: `127.0.0.1:${calls.port}`,
        SVC_EXECUTORS_MAX: '4',
        SVC_TLS_DIR: join(stateDir, 'certificate'),
        SVC_ACME_DIRECTORY: acme.directoryUrl,
        SVC_ACME_PORT: String(port),
        SVC_COMMIT: commit,
      }
    },
  })
  name = await startLoadBalancer(localServers(world.origins.map(portOf)))
  baseUrl = `https://localhost:${name.port}`
  nameServer = await startNameServer('localhost', acme.accounts()[0]!)
  acme.control.caa = acme.accounts()
  holder = await AccountHolder.open(world.origins[0]!)
})
afterAll(async () => {
  await world?.close()
  name?.close()
  challenges?.close()
  await Promise.all([acme?.close(), calls?.close(), nameServer?.close()])
  rmSync(folder, { recursive: true, force: true })
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(world.lines.slice(-40).join('\n'))
})

const portOf = ({ url }: OriginProcess) => Number(new URL(url).port)

function pointNameAt(origins: readonly OriginProcess[]): void {
  name.use(localServers(origins.map(portOf)))
  challenges.use(localServers(origins.map(({ stateDir }) => challengePorts.get(stateDir)!)))
}

/** A client with a connection of its own, which it keeps until it is closed. */
function connection() {
  const dispatcher = new Agent({ connections: 1 })
  const send = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher })
  return { send: send as unknown as typeof fetch, close: () => dispatcher.destroy() }
}

const enough = new AbortController()

/** Repeats a call until the end, on one connection. A call that a draining machine refuses is repeated. */
async function repeat(call: (send: typeof fetch) => Promise<'done' | 'draining'>) {
  const done = { calls: 0, refusals: 0 }
  const { send, close } = connection()
  while (!enough.signal.aborted)
    if ((await call(send)) === 'done') done.calls++
    else done.refusals++
  await close()
  return done
}

/**
 * Action of one client. Runs of an action with one key share its allowance for failed runs, which moves slowly between
 * processes (docs/plan.md, Known limitations).
 */
const code = (port: number, client: string) => `// ${client}
async function main({ n }) {
  await fetch('http://127.0.0.1:${port}/' + n)
  await new Promise((resolve) => setTimeout(resolve, 200))
  return n
}`

let next = 0
const groups: string[] = []

async function post(send: typeof fetch, path: string, body: object): Promise<'done' | 'draining'> {
  const response = await send(`${baseUrl}/core/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': holder.key },
    body: JSON.stringify(body),
  })
  const answer: any = await response.json()
  if (response.status === 200) return 'done'
  if (answer.reason === 'draining') return 'draining'
  throw new Error(`${path}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`)
}

/** Verifications, each on a connection of its own. */
const certificates = new Set<string>()

async function verify(): Promise<void> {
  const spkiSha256 = simulatedPinOf(loadRootKey(world.origins[0]!.stateDir, 'local'))
  const random = (bytes: number) => new Uint8Array(randomBytes(bytes))
  const { bundle } = await gatherEvidence({
    url: new URL(baseUrl),
    authority: authority.pem,
    rpcUrl: undefined,
    dnsServer: nameServer.address,
    collateral: undefined,
    timeoutMs: 60_000,
    now: Date.now,
    random,
  })
  const policy = { root: { kind: 'simulated', spkiSha256 }, statuses: ['UpToDate'] } as const
  const { rules } = await verifyBundle(bundle, policy, new Date())
  // The rule `governance` needs a chain node, which is not part of this test.
  const failed = rules.slice(0, 6).filter(({ outcome }) => outcome !== 'passed')
  if (failed.length > 0) throw new Error(JSON.stringify(failed))
  certificates.add(bundle.served_certificate!.der_base64)
  const settings = z
    .object(trustSettings)
    .parse({ ORIGIN_TRUST: 'simulated', SIM_ROOT_SHA256: spkiSha256 })
  const { send, close } = connection()
  const edge = {
    settings: { ...settings, ORIGIN_URL: baseUrl },
    fetch: send,
    random,
    now: Date.now,
  }
  await verifyOriginEvidence(edge)
  await close()
}

/** Verifies until this number of machines was reached. A verification needs an even number of connections. */
async function verifyMachines(count: number): Promise<void> {
  for (let tries = 0; certificates.size < count && tries < 50; tries++) {
    await verify()
    const { send, close } = connection()
    await (await send(`${baseUrl}/health`)).text()
    await close()
  }
  expect(certificates.size).toBe(count)
}

async function verifySometimes(): Promise<'done'> {
  await verify()
  await sleep(200)
  return 'done'
}

/** The numbered steps of the section, by their bold beginnings. */
function stepsOf(section: string): string[] {
  const text = readFileSync(OPERATE, 'utf8')
  const from = text.indexOf(`\n### ${section}\n`)
  const page = text.slice(from, text.indexOf('\n## ', from))
  return [...page.matchAll(/^\d+\. (?:\*\*([^*]+?)[.,:]?\*\*)?/gm)].map(([, step = '']) => step)
}

type Upgrade = { old: OriginProcess; added?: OriginProcess }
let behindTheName: OriginProcess[]

const STEPS: Record<string, (upgrade: Upgrade) => Promise<void>> = {
  'Start a new machine': async (upgrade) => {
    nextChallengePort = await freePort()
    commit = NEW_COMMIT
    upgrade.added = await world.add()
    await upgrade.added.start()
  },
  'Wait until it is ready': async ({ added }) => {
    const health = async () => (await fetch(`${added!.url}/health`)).json()
    await expect.poll(health, { timeout: 60_000 }).toMatchObject({ status: 'ok', commit })
  },
  'Add it to the name': async ({ added }) => {
    behindTheName = [...behindTheName, added!]
    pointNameAt(behindTheName)
  },
  'Verify the deployment': async () => {
    await verifyMachines(world.origins.length)
  },
  'Remove the old machine from the name': async ({ old }) => {
    behindTheName = behindTheName.filter((origin) => origin !== old)
    pointNameAt(behindTheName)
  },
  'Stop the old machine': async ({ old }) => {
    expect(await old.stop()).toBe('exited with code 0')
  },
}

it('replaces both machines under load, by the steps of docs/operate.md, and no call fails', async () => {
  await verifyMachines(2)
  const { compose_hash }: any = await (await fetch(`${baseUrl}/info`)).json()
  const rootPin = simulatedPinOf(loadRootKey(world.origins[0]!.stateDir, 'local'))

  const sealedCall = (source: string) => {
    let client: ReturnType<typeof createClient> | undefined
    return async (send: typeof fetch): Promise<'done' | 'draining'> => {
      client ??= createClient({
        baseUrl,
        apiKey: holder.key,
        fetch: send,
        verify: 'required',
        policy: {
          root: { kind: 'simulated', spkiSha256: rootPin },
          composeHashes: [compose_hash],
          measurements: 'open',
        },
      })
      try {
        const n = next++
        const { response } = await client.svcAction({ code: source, js_params: { n } })
        expect(response).toBe(n)
        return 'done'
      } catch (error) {
        if ((error as { code?: string }).code === 'draining') return 'draining'
        throw error
      }
    }
  }
  const write = (send: typeof fetch) => {
    const group_name = `group ${next++}`
    groups.push(group_name)
    return post(send, 'add_group', { group_name }).then((result) => {
      if (result === 'draining') groups.splice(groups.indexOf(group_name), 1)
      return result
    })
  }
  const times = Array.from({ length: CLIENTS })
  const run = (source: string) => (send: typeof fetch) =>
    post(send, 'svc_action', { code: source, js_params: { n: next++ } })
  const running = times.flatMap((_, n) => [
    repeat(run(code(calls.port, `plain ${n}`))),
    repeat(sealedCall(code(calls.port, `sealed ${n}`))),
  ])
  const others = [...times.map(() => repeat(write)), repeat(verifySometimes)]
  const settled = Promise.all([...running, ...others])
  settled.catch(() => {})

  behindTheName = [...world.origins]
  const steps = stepsOf('Rolling upgrade')
  expect(steps.toSorted()).toEqual(Object.keys(STEPS).toSorted())
  for (const old of world.origins.slice(0, 2)) {
    const upgrade: Upgrade = { old }
    // A failed call ends the test at once.
    for (const step of steps) await Promise.race([STEPS[step]!(upgrade), failureOf(settled)])
  }
  await sleep(500)
  enough.abort()
  const results = await settled

  for (const { calls: made } of results) expect(made).toBeGreaterThan(0)
  const runs = results.slice(0, running.length)
  const executed = calls.received.map(({ url }) => url)
  expect(new Set(executed).size).toBe(executed.length)
  expect(executed.length).toBe(runs.reduce((sum, { calls: made }) => sum + made, 0))
  expect((await groupNames()).toSorted()).toEqual(groups.toSorted())
  expect(
    world.lines.filter((line) => /"(run\.lost|claims\.reaped|acme\.failed)"/.test(line)),
  ).toEqual([])
  // All four machines were verified, with their own certificates of one account.
  expect(certificates.size).toBe(4)
  expect([acme.accounts().length, acme.issued() >= 4]).toEqual([1, true])
  expect(behindTheName).toEqual(world.origins.slice(2))
})

/** Never resolves. @throws what the promise rejects with */
const failureOf = (promise: Promise<unknown>): Promise<never> =>
  promise.then(() => new Promise<never>(() => {}))

async function groupNames(): Promise<string[]> {
  const names: string[] = []
  for (let page = 0; ; page++) {
    const path = `list_groups?page_number=${page}&page_size=100`
    const found: { name: string }[] = await holder.ok(behindTheName[0]!, path)
    if (found.length === 0) return names
    names.push(...found.map(({ name: group }) => group))
  }
}
