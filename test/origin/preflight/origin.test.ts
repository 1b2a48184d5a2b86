/** Real Postgres with TLS, a chain with the contract, a certificate, and doubles of the guest agent and the processor. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../origin/db/open.ts'
import { addressFromPrivateKey, Keyring } from '../../../origin/keys/keyring.ts'
import { loadRootKey, ROOT_KEY_FILE } from '../../../origin/keys/root-key-file.ts'
import { checkOrigin } from '../../../origin/preflight/check-origin.ts'
import { simulatedPinOf } from '../../../origin/tee/simulated/provider.ts'
import { type Authority, makeAuthority } from '../../doubles/certificates.ts'
import { type GuestAgentDouble, startGuestAgent } from '../../doubles/guest-agent.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import { type ContractOnChain, startContract } from '../accounts/contract.ts'
import { type PostgresServer, startPostgres } from '../db/postgres.ts'

let folder: string
let stateDir: string
let authority: Authority
let postgres: PostgresServer
let contract: ContractOnChain
let processor: ProcessorDouble
let agent: GuestAgentDouble
/** Accepts connections and never responds. */
let silent: Server

const PAYERS = 2
const CANARY = 'canary-2f81'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-preflight-'))
  stateDir = join(folder, 'state')
  mkdirSync(stateDir)
  authority = await makeAuthority()
  const keyring = new Keyring(loadRootKey(stateDir, 'local'))
  const payers = Array.from({ length: PAYERS + 1 }, (_, n) =>
    addressFromPrivateKey(keyring.payerKey(n)),
  )
  silent = createServer(() => {})
  ;[postgres, contract, processor, agent] = await Promise.all([
    startPostgres(await authority.issue({ names: ['localhost'] })),
    startContract(...payers),
    startProcessor(),
    startGuestAgent(
      JSON.stringify({ docker_compose_file: 'environment:\n  - SVC_ENV=production\n' }),
    ),
    new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening)),
  ])
  await tlsFiles('tls', {})
})
afterAll(async () => {
  await Promise.all([postgres?.close(), contract?.close(), processor?.close(), agent?.close()])
  silent?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function tlsFiles(name: string, validity: { from?: number; to?: number }): Promise<string> {
  const { cert, key } = await authority.issue({ names: ['origin.staging.test'], ...validity })
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'fullchain.pem'), cert)
  writeFileSync(join(path, 'privkey.pem'), key)
  writeFileSync(join(path, 'acme-account.json'), '{"uri":"https://ca.test/acct/1"}')
  return path
}

const databaseUrl = (query = 'sslmode=verify-full') =>
  `${postgres.tcpUrl.replace('127.0.0.1', 'localhost')}?${query}`

/** A complete configuration of a staging deployment. */
const staging = (): Record<string, string | undefined> => ({
  SVC_ENV: 'staging',
  SVC_TEE: 'simulated',
  SVC_STATE_DIR: stateDir,
  SVC_SIM_ROOT_SHA256: simulatedPinOf(loadRootKey(stateDir, 'local')),
  SVC_PUBLIC_URL: 'https://origin.staging.test',
  SVC_CHAIN_RPC: contract.rpcUrl,
  SVC_CONTRACT_ADDRESS: contract.chain.contractAddress,
  SVC_CONTRACT_BLOCK: String(contract.chain.contractBlock),
  SVC_PAYERS: String(PAYERS),
  SVC_CHANNEL_PSK: randomBytes(32).toString('base64url'),
  SVC_TLS_DIR: join(folder, 'tls'),
  DATABASE_URL: databaseUrl(),
  SVC_DATABASE_CA: authority.pem,
})

async function check(
  changes: Record<string, string | undefined> = {},
  base = staging(),
  socketPath = join(folder, 'none.sock'),
) {
  const environment = { ...base, ...changes }
  const given = { environment, withheld: new Set<string>(), isRemote: false, checks: [] }
  const checks = await checkOrigin(given, Date.now, socketPath)
  const secrets = [
    'DATABASE_URL',
    'SVC_CHANNEL_PSK',
    'SVC_PROCESSOR_SECRET_KEY',
    'SVC_CHAIN_RPC',
    'CHAINS',
  ]
  const text = JSON.stringify(checks)
  for (const name of secrets) expect(text).not.toContain(environment[name] ?? CANARY)
  expect(text).not.toContain(CANARY)
  return Object.fromEntries(
    checks.map(({ name, outcome, detail }) => [name, `${outcome}: ${detail}`]),
  )
}

describe('the preflight of an origin', () => {
  it('accepts a complete configuration, and changes nothing', async () => {
    expect(await check()).toEqual({
      settings: 'ok: complete',
      machine: expect.stringMatching(
        /^ok: simulated, app ID [0-9a-f]{40}, compose hash [0-9a-f]{64}$/,
      ),
      'root key': 'ok: from the file root.key',
      Postgres: expect.stringMatching(/^ok: version 1\d[.\w]*, TLSv1.3$/),
      migrations: expect.stringMatching(
        /^ok: \d+ pending, which the origin applies when it starts$/,
      ),
      chain: 'ok: chain ID 31337',
      CHAINS: 'skipped: not configured, so wallets cannot send transactions',
      contract: `ok: AccountConfig at ${contract.chain.contractAddress}`,
      payers: expect.stringMatching(/^ok: 2 registered; payer 0 \(0x.+\) has 10000.0 ether$/),
      certificate: 'ok: for origin.staging.test, valid for 0 days, with the URI of an ACME account',
      'payment processor': 'skipped: not configured, so payments return 503',
    })
    // The check itself applies no migration.
    expect(await check()).toMatchObject({ migrations: expect.stringContaining('pending') })
  })

  it('names all faults at once, of settings and of connections', async () => {
    const found = await check({
      SVC_CHANNEL_PSK: 'short',
      SVC_OUTBOUND_ALLOW: 'localhost:1',
      SVC_CONTRACT_ADDRESS: `0x${'11'.repeat(20)}`,
      DATABASE_URL: databaseUrl().replace(/svc:[^@]+/, `svc:${CANARY}`),
      SVC_TLS_DIR: folder,
      SVC_SIM_ROOT_SHA256: 'ab'.repeat(32),
    })
    expect(found).toMatchObject({
      SVC_CHANNEL_PSK: expect.stringMatching(/^fault: /),
      SVC_OUTBOUND_ALLOW: 'fault: not allowed in staging, only for local development',
      machine: expect.stringMatching(
        /^fault: the simulated root of root.key is [0-9a-f]{64}, which is not/,
      ),
      Postgres: 'fault: the role or its password is wrong',
      contract: 'fault: there is no code at SVC_CONTRACT_ADDRESS on this chain',
      certificate: 'fault: invalid TLS files: fullchain.pem cannot be read',
    })
  })

  it('skips only the parts whose settings have a fault', async () => {
    const found = await check({ DATABASE_URL: undefined, SVC_CHAIN_RPC: 'not-a-url', SVC_TEE: 'x' })
    expect(found).toMatchObject({
      DATABASE_URL: 'fault: required',
      Postgres: 'skipped: needs DATABASE_URL',
      chain: 'skipped: needs SVC_CHAIN_RPC',
      machine: 'skipped: needs SVC_TEE',
      certificate: expect.stringMatching(/^ok: /),
    })
  })

  describe('Postgres', () => {
    it.each([
      [
        'another host',
        () => ({ DATABASE_URL: databaseUrl().replace('localhost', '127.0.0.1') }),
        'the database’s certificate is for another host',
      ],
      ['no authority', () => ({ SVC_DATABASE_CA: undefined }), 'is not from a trusted authority'],
      [
        'no server',
        () => ({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/svc?sslmode=verify-full' }),
        'cannot connect (ECONNREFUSED)',
      ],
      [
        'no database',
        () => ({ DATABASE_URL: databaseUrl().replace('/postgres?', '/none?') }),
        'the database does not exist',
      ],
      [
        'a server that is silent',
        () => ({
          DATABASE_URL: `postgres://u:p@127.0.0.1:${(silent.address() as { port: number }).port}/x?sslmode=verify-full`,
        }),
        'no response within 5 s',
      ],
    ])('faults with %s', async (_what, changes, reason) => {
      const { Postgres } = await check(changes())
      expect(Postgres).toMatch(/^fault: /)
      expect(Postgres).toContain(reason)
    })

    it('reports a fault if a newer version has migrated the database, and counts applied migrations', async () => {
      const own = { ...staging(), DATABASE_URL: databaseUrl().replace('/postgres?', '/newer?') }
      const admin = new Client({ connectionString: postgres.url })
      await admin.connect()
      await admin.query('create database newer')
      const connection = { url: own.DATABASE_URL, authorities: [authority.pem] }
      const opened = await openDatabase(connection)
      expect(await check({}, own)).toMatchObject({
        migrations: expect.stringMatching(/^ok: all \d+ applied$/),
      })
      await opened.db.execute(
        "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)",
      )
      expect(await check({}, own)).toMatchObject({
        migrations:
          'fault: the database was migrated by a newer version of the origin than this one',
      })
      await opened.close()
      await admin.end()
    })

    it('reports a fault if the role may not apply pending migrations', async () => {
      const admin = new Client({ connectionString: postgres.url })
      await admin.connect()
      await admin.query("create role reader login password 'reader'")
      await admin.end()
      const DATABASE_URL = databaseUrl().replace(/svc:[^@]+/, 'reader:reader')
      expect(await check({ DATABASE_URL })).toMatchObject({
        migrations: expect.stringMatching(/^fault: \d+ pending, and the role is not allowed/),
      })
    })
  })

  describe('the chain', () => {
    it('reports a fault without a node, and does not print its URL', async () => {
      const { chain } = await check({ SVC_CHAIN_RPC: `http://127.0.0.1:1/${CANARY}` })
      expect(chain).toMatch(/^fault: the nodes in SVC_CHAIN_RPC did not respond to eth_chainId/)
    })

    it('reports a fault if the code is another contract, or the block is missing', async () => {
      const other = `0x${'22'.repeat(20)}`
      await contract.send('anvil_setCode', [other, '0x00'])
      expect(await check({ SVC_CONTRACT_ADDRESS: other })).toMatchObject({
        contract: 'fault: the code at SVC_CONTRACT_ADDRESS is not AccountConfig',
      })
      expect(await check({ SVC_CONTRACT_BLOCK: '99999999' })).toMatchObject({
        contract: 'fault: the node does not have the block SVC_CONTRACT_BLOCK',
      })
    })

    it('reports a fault if a payer is not registered, or payer 0 has no ether', async () => {
      expect(await check({ SVC_PAYERS: '3' })).toMatchObject({
        payers: expect.stringMatching(
          /^fault: not registered in the contract \(setApiPayers\): 0x\w{40}$/,
        ),
      })
      const keyring = new Keyring(loadRootKey(stateDir, 'local'))
      const funder = addressFromPrivateKey(keyring.payerKey(0))
      await contract.send('anvil_setBalance', [funder, '0x0'])
      expect(await check()).toMatchObject({ payers: `fault: payer 0 has no ether: ${funder}` })
      await contract.send('anvil_setBalance', [funder, '0x21e19e0c9bab2400000'])
    })
  })

  describe('the chains for transactions', () => {
    const chains = (setting: object) => check({ SVC_ENV: 'local', CHAINS: JSON.stringify(setting) })

    it('are reached at each of their nodes, which must have the right chain ID', async () => {
      const dead = `http://127.0.0.1:1/${CANARY}`
      const found = await chains({
        ethereum: { chain_id: 31_337, rpc: [contract.rpcUrl, dead] },
        base: { chain_id: 8453, rpc: [contract.rpcUrl] },
      })
      expect(found).toMatchObject({
        'CHAINS.ethereum.rpc.0': 'ok: chain ID 31337',
        'CHAINS.ethereum.rpc.1': 'fault: unreachable',
        'CHAINS.base.rpc.0': 'fault: chain ID 31337, expected 8453',
      })
    })

    it('are not checked if their setting has a fault', async () => {
      expect(await chains({ base: { rpc: [`http://127.0.0.1:1/${CANARY}`] } })).toMatchObject({
        'CHAINS.base.chain_id': expect.stringMatching(/^fault: /),
        CHAINS: 'skipped: needs CHAINS.base.chain_id',
      })
    })
  })

  describe('the certificate', () => {
    it('reports a fault if it has expired, or is for another host', async () => {
      const expired = await tlsFiles('expired', { from: -3, to: -1 })
      expect(await check({ SVC_TLS_DIR: expired })).toMatchObject({
        certificate: 'fault: for origin.staging.test, expired',
      })
      expect(await check({ SVC_PUBLIC_URL: 'https://other.test' })).toMatchObject({
        certificate: 'fault: invalid TLS files: fullchain.pem is not for other.test',
      })
    })
  })

  describe('the machine', () => {
    const production = () => ({
      ...staging(),
      SVC_ENV: 'production',
      SVC_TEE: 'dstack',
      SVC_SIM_ROOT_SHA256: undefined,
      SVC_KMS_ROOT: agent.kmsRoot.toString('hex'),
    })

    it('is opened through the guest agent, whose key must come from the pinned KMS', async () => {
      const found = await check({}, production(), agent.socketPath)
      expect(found).toMatchObject({
        machine: expect.stringMatching(/^ok: dstack, app ID /),
        'root key': 'ok: from the KMS of SVC_KMS_ROOT',
      })
      const other = { ...production(), SVC_KMS_ROOT: `02${'ab'.repeat(32)}` }
      expect((await check({}, other, agent.socketPath))['root key']).toMatch(/^fault: /)
    })

    it('reports a fault without a guest agent', async () => {
      expect(await check({}, production())).toMatchObject({
        machine: expect.stringMatching(/^fault: the guest agent did not respond to Info: ENOENT/),
      })
    })

    it('lost root key: reports a fault in staging, and never creates one', async () => {
      const empty = join(folder, 'empty')
      mkdirSync(empty)
      expect((await check({ SVC_STATE_DIR: empty }))['root key']).toContain(
        'root.key does not exist',
      )
      expect(await check({ SVC_ENV: 'local', SVC_STATE_DIR: empty })).toMatchObject({
        'root key': 'skipped: created at the first start',
      })
      expect(existsSync(join(empty, ROOT_KEY_FILE))).toBe(false)
    })
  })

  describe('the payment processor', () => {
    // Only a local stack may use another host than the processor’s.
    const local = () => ({ ...staging(), SVC_ENV: 'local', ...processor.settings })

    it('accepts a valid key, and says its mode', async () => {
      expect(await check({}, local())).toMatchObject({
        'payment processor': 'ok: accepts the test mode key',
      })
    })

    it('reports a fault with a key that the processor does not accept, or no processor', async () => {
      expect(await check({ SVC_PROCESSOR_SECRET_KEY: 'sk_test_revoked' }, local())).toMatchObject({
        'payment processor': 'fault: the processor does not accept SVC_PROCESSOR_SECRET_KEY',
      })
      expect(await check({ SVC_PROCESSOR_URL: 'http://127.0.0.1:1' }, local())).toMatchObject({
        'payment processor': 'fault: the processor does not respond',
      })
    })

    it('real money charged by a test: reports a fault with a live key in staging, before it is used', async () => {
      const live = {
        SVC_PROCESSOR_SECRET_KEY: 'sk_live_abc',
        SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_live_abc',
        SVC_PROCESSOR_WEBHOOK_SECRET: 'whsec_12345678',
      }
      expect(await check(live)).toMatchObject({
        SVC_PROCESSOR_SECRET_KEY: 'fault: live mode keys are not allowed in staging',
        'payment processor': 'skipped: needs SVC_PROCESSOR_SECRET_KEY',
      })
    })
  })
})

beforeEach(() => expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(true))
