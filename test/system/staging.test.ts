/** A staging deployment of real components: test payments, a pinned simulated root, TLS to Postgres. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadRootKey } from '../../origin/keys/root-key-file.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { Stack } from '../../origin/stack/stack.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { simulatedAppCompose } from '../../origin/tee/simulated-app-compose.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { loadTls } from '../../origin/tls.ts'
import { localAcmeAccountUri } from '../../origin/tls/served-tls.ts'
import { createClient } from '../../shared/client/client.ts'
import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import { authorityOf, makeAuthority } from '../doubles/certificates.ts'
import { type PostgresServer, startPostgres } from '../origin/db/postgres.ts'
import { ALL_PASSED, outcomes } from '../shared/cli/command-line.ts'
import { anyPorts, ORIGIN_ENTRY, templateSetting } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const BANNER = ENVIRONMENTS.staging.banner!

let stateDir: string
let postgres: PostgresServer
let stack: Stack
let pin: string

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'svc-staging-'))
  pin = simulatedPinOf(loadRootKey(stateDir, 'local'))
  const compose = join(stateDir, 'staging-compose.json')
  writeFileSync(compose, simulatedAppCompose(undefined, 'staging'))
  const authority = await makeAuthority()
  postgres = await startPostgres(await authority.issue({ names: ['127.0.0.1'] }))
  const databaseCa = join(stateDir, 'database-ca.pem')
  writeFileSync(databaseCa, authority.pem)
  const port = await freePort()
  stack = await Stack.start({
    stateDir,
    environment: { ...anyPorts, SVC_ORIGIN_PORT: String(port) },
    originSettings: {
      SVC_ENV: 'staging',
      SVC_SIM_ROOT_SHA256: pin,
      SVC_APP_COMPOSE_FILE: compose,
      SVC_TLS_DIR: await acmeFiles(`https://localhost:${port}`),
      DATABASE_URL: `${postgres.tcpUrl}?sslmode=verify-full&sslrootcert=${databaseCa}`,
      SVC_PROCESSOR_SECRET_KEY: 'sk_test_abc',
      SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_test_abc',
      SVC_PROCESSOR_WEBHOOK_SECRET: 'whsec_12345678',
      ...templateSetting(),
    },
    edgeSettings: { SVC_ENV: 'staging', CHAINS: '' },
    originEntry: ORIGIN_ENTRY,
    onLine: () => {},
  })
  trustCa(stack.caFile)
})
afterAll(async () => {
  await stack?.stop()
  await postgres?.close()
  rmSync(stateDir, { recursive: true, force: true })
})

/** The files of an ACME client, whose certificate comes from the stack's authority. */
async function acmeFiles(publicUrl: string): Promise<string> {
  await loadTls(stateDir)
  const { key, cert } = await (await authorityOf(stateDir)).issue({ names: ['localhost'] })
  const folder = join(stateDir, 'acme')
  mkdirSync(folder)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('fullchain.pem', cert)
  write('privkey.pem', key)
  write('acme-account.json', JSON.stringify({ uri: localAcmeAccountUri(publicUrl) }))
  return folder
}

function svc(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, SVC_STATE_DIR: stateDir }
  return new Promise((resolve) =>
    execFile('npx', ['svc', ...words], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  )
}

describe('a staging deployment', () => {
  it('is SIMULATED for svc verify, which names it', async () => {
    const ran = await svc('verify', stack.baseUrl)
    expect(outcomes(ran), ran.out + ran.err).toEqual(ALL_PASSED)
    expect(ran.out).toMatch(/^SIMULATED: software simulates the machine/m)
    expect(ran.out).toContain('This is a staging deployment (SVC_ENV=staging in the compose file)')
    expect(ran.code).toBe(3)
  })

  it('staging passed off as production: a client needs its pin, and reports SIMULATED', async () => {
    const policy = { root: { kind: 'simulated', spkiSha256: pin } } as const
    const strict = { verify: 'required', baseUrl: stack.baseUrl } as const
    const { compose_hash } = (await (await fetch(`${stack.baseUrl}/info`)).json()) as {
      compose_hash: string
    }
    const named = { composeHashes: [compose_hash], measurements: 'open' } as const
    const report = await createClient({ ...strict, policy: { ...policy, ...named } }).verify()
    expect(report.verdict).toBe('SIMULATED')
    expect(report.open.join()).toContain('This is a staging deployment')
    await expect(createClient({ ...strict, policy: named }).verify()).rejects.toMatchObject({
      name: 'EvidenceRefused',
      rule: 'quote',
    })
  })

  it('is the environment in /info, and in a header of each response of both services', async () => {
    const info = await fetch(`${stack.baseUrl}/info`)
    expect(await info.json()).toMatchObject({ environment: 'staging' })
    for (const url of [
      `${stack.baseUrl}/info`,
      `${stack.baseUrl}/core/v1/version`,
      `${stack.baseUrl}/nothing`,
      `${stack.triggersUrl}/core/v1/version`,
      `${stack.triggersUrl}/health`,
    ])
      expect((await fetch(url)).headers.get('x-svc-environment'), url).toBe('staging')
  })

  it('lets scripts of other sites read the header', async () => {
    for (const url of [stack.baseUrl, stack.triggersUrl]) {
      const { headers } = await fetch(`${url}/core/v1/version`, {
        headers: { origin: 'https://x.test' },
      })
      expect(headers.get('access-control-expose-headers')).toContain('x-svc-environment')
    }
  })

  it('shows a banner on the pages of both services', async () => {
    for (const url of [
      `${stack.triggersUrl}/`,
      `${stack.baseUrl}/docs/errors`,
      `${stack.baseUrl}/evidences/`,
      `${stack.baseUrl}/core/v1/swagger-ui`,
    ]) {
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      expect(await page.text(), url).toContain(BANNER)
    }
  })

  it('takes test payments, and describes its chain as a testnet', async () => {
    const get = async (path: string) => (await fetch(`${stack.baseUrl}${path}`)).json()
    expect(await get('/get_node_chain_config')).toMatchObject({ testnet: true })
    expect(JSON.stringify(await get('/core/v1/billing/processor_config'))).toContain('pk_test_abc')
  })

  it('executes and signs like production, and its receipts name staging and its compose text', async () => {
    const policy = { root: { kind: 'simulated', spkiSha256: pin } } as const
    const client = createClient({ baseUrl: stack.baseUrl, policy })
    await client.newAccount({ account_name: 'tester' })
    const code = 'async function main() { return 1 }'
    const { group_id } = await client.addGroup({ group_name: 'all' })
    const action_ipfs_cid = await client.getSvcActionIpfsId(code)
    await client.addActionToGroup({ group_id, action_ipfs_cid })
    const answer = await client.waitUntilPermitted(() => client.svcAction({ code }))
    const receipt = await client.verifyReceipt(answer.receipt)
    const { composeHash } = await client.verify()
    expect(receipt.compose_hash).toBe(composeHash)
    expect(receipt.environment).toBe('staging')
  })
})
