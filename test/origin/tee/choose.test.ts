import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSettings } from '../../../origin/env.ts'
import { loadRootKey, ROOT_KEY_FILE } from '../../../origin/keys/root-key-file.ts'
import { selectTee, type TeeOptions } from '../../../origin/tee/select-tee.ts'
import { KeyChainError } from '../../../origin/tee/dstack/key-chain.ts'
import { simulatedPinOf } from '../../../origin/tee/simulated/provider.ts'
import { measuredEnvironments } from '../../../shared/attestation/measured-environment.ts'
import { TeeUnavailableError } from '../../../origin/tee/provider.ts'
import { TeeMismatchError } from '../../../origin/tee/provider.ts'
import { type GuestAgentDouble, startGuestAgent } from '../../doubles/guest-agent.ts'

const composeOf = (text: string) => JSON.stringify({ docker_compose_file: text })
const PRODUCTION_TEXT = composeOf(
  'services:\n  origin:\n    environment:\n      - SVC_ENV=production\n',
)

let stateDir: string
let agent: GuestAgentDouble
beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'svc-tee-'))
  agent = await startGuestAgent(PRODUCTION_TEXT)
})
afterEach(async () => {
  rmSync(stateDir, { recursive: true, force: true })
  await agent.close()
})

type Given = Partial<TeeOptions['settings']> & { socketPath?: string }
const choose = ({ socketPath, ...settings }: Given) =>
  selectTee({
    settings: {
      SVC_ENV: 'production',
      SVC_TEE: 'dstack',
      SVC_APP_COMPOSE_FILE: undefined,
      SVC_APP_ID: undefined,
      SVC_SIM_ROOT_SHA256: undefined,
      SVC_KMS_ROOT: agent.kmsRoot.toString('hex'),
      SVC_PCCS_URL: 'http://127.0.0.1:1',
      ...settings,
    },
    stateDir,
    now: Date.now,
    log: () => {},
    socketPath: socketPath ?? agent.socketPath,
  })
const nobody = () => join(stateDir, 'no.sock')

describe('a machine under dstack', () => {
  it('provides its application’s root key, the same at each start', async () => {
    const { tee, rootKey } = await choose({})
    expect(tee.mode).toBe('dstack')
    expect(rootKey).toHaveLength(32)
    expect((await choose({})).rootKey).toEqual(rootKey)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('is rejected without a pinned KMS root', async () => {
    await expect(choose({ SVC_KMS_ROOT: undefined })).rejects.toThrow(TeeMismatchError)
  })

  it('is refused when another KMS vouches for the key', async () => {
    const other = await startGuestAgent(PRODUCTION_TEXT)
    await other.close()
    const start = choose({ SVC_KMS_ROOT: other.kmsRoot.toString('hex') })
    await expect(start).rejects.toThrow(KeyChainError)
  })

  it('is rejected if the key is not the signed one', async () => {
    agent.faults.GetKey = {
      change: (answer) => ({ ...answer, key: randomBytes(32).toString('hex') }),
    }
    await expect(choose({})).rejects.toThrow(KeyChainError)
  })

  it('is rejected if its reported app-compose does not match its reported compose hash', async () => {
    agent.faults.Info = { change: (answer) => ({ ...answer, compose_hash: 'ab'.repeat(32) }) }
    await expect(choose({})).rejects.toThrow('does not match its app-compose')
  })

  it('is rejected if it reports another text than the measured one', async () => {
    const other = await startGuestAgent(`${PRODUCTION_TEXT} `)
    const said = await other.machine.info()
    agent.faults.Info = { change: () => ({ ...said, tcb_info: JSON.stringify(said.tcb_info) }) }
    await expect(choose({})).rejects.toThrow('does not match the measured one')
    await other.close()
  })

  it('is rejected if its event log does not match its quote', async () => {
    agent.faults.GetQuote = { change: (answer) => ({ ...answer, event_log: '[]' }) }
    await expect(choose({})).rejects.toThrow('the quote of this machine is not valid')
  })

  it('is rejected without a guest agent', async () => {
    await expect(choose({ socketPath: nobody() })).rejects.toThrow(TeeUnavailableError)
  })

  it.each([
    ['says nothing of it', 'services: {}'],
    ['says it in a comment', 'services:\n  # - SVC_ENV=production\n'],
    ['says local', 'environment:\n  - SVC_ENV=local\n'],
    ['leaves it to the encrypted environment', 'environment:\n  - SVC_ENV\n'],
    ['takes it from elsewhere', 'environment:\n  - SVC_ENV=${SVC_ENV:-production}\n'],
    ['says both', 'environment:\n  - SVC_ENV=production\n  - SVC_ENV=local\n'],
  ])('is rejected in production if the measured compose text %s', async (_what, text) => {
    const other = await startGuestAgent(composeOf(text))
    const start = choose({
      socketPath: other.socketPath,
      SVC_KMS_ROOT: other.kmsRoot.toString('hex'),
    })
    await expect(start).rejects.toThrow('does not set SVC_ENV=production')
    await other.close()
  })

  it.each(['SVC_ENV: production', 'SVC_ENV: "production"', '- "SVC_ENV=production"'])(
    'can set production mode as %s',
    async (line) => {
      const other = await startGuestAgent(composeOf(`environment:\n  ${line}\n`))
      const kmsRoot = other.kmsRoot.toString('hex')
      const { tee } = await choose({ socketPath: other.socketPath, SVC_KMS_ROOT: kmsRoot })
      expect(tee.mode).toBe('dstack')
      await other.close()
    },
  )
})

describe('the simulated machine', () => {
  const simulated = { SVC_ENV: 'local', SVC_TEE: 'simulated' } as const

  it('is available for local development, with its root key in a file', async () => {
    const { tee, rootKey } = await choose({ ...simulated, socketPath: nobody() })
    expect(tee.mode).toBe('simulated')
    expect(rootKey).toHaveLength(32)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(true)
  })

  it('is rejected in production, and no root key is created', async () => {
    const start = choose({ SVC_TEE: 'simulated', socketPath: nobody() })
    await expect(start).rejects.toThrow(TeeMismatchError)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('is rejected next to a guest agent, because a real machine was intended', async () => {
    await expect(choose(simulated)).rejects.toThrow('not allowed on a machine with a guest agent')
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('reports the configured app ID', async () => {
    const { tee } = await choose({
      ...simulated,
      SVC_APP_ID: 'ab'.repeat(20),
      socketPath: nobody(),
    })
    expect((await tee.info()).app_id).toBe('ab'.repeat(20))
  })
})

describe('the simulated machine of a staging deployment', () => {
  const staging = { SVC_ENV: 'staging', SVC_TEE: 'simulated' } as const
  const start = (changes: Given) => choose({ ...staging, socketPath: nobody(), ...changes })
  const makeRoot = () => simulatedPinOf(loadRootKey(stateDir, 'local'))

  it('starts with the pinned root, and measures its environment', async () => {
    const { tee } = await start({ SVC_SIM_ROOT_SHA256: makeRoot() })
    const { app_compose } = (await tee.info()).tcb_info
    expect(measuredEnvironments(app_compose)).toEqual(['staging'])
    expect(app_compose).toContain('SVC_TEE=simulated')
  })

  it('exchanged root key: does not start with another root, which it names', async () => {
    const found = makeRoot()
    for (const SVC_SIM_ROOT_SHA256 of ['ab'.repeat(32), undefined])
      await expect(start({ SVC_SIM_ROOT_SHA256 })).rejects.toThrow(
        `the simulated root of root.key is ${found}, which is not the one in SVC_SIM_ROOT_SHA256`,
      )
  })

  it('lost root key: does not create a new one', async () => {
    const starting = start({ SVC_SIM_ROOT_SHA256: 'ab'.repeat(32) })
    await expect(starting).rejects.toThrow(/root.key does not exist; restore it from a backup/)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('staging passed off as production: rejects a compose text of another environment', async () => {
    const file = join(stateDir, 'app-compose.json')
    writeFileSync(file, PRODUCTION_TEXT)
    const pinned = { SVC_SIM_ROOT_SHA256: makeRoot(), SVC_APP_COMPOSE_FILE: file }
    await expect(start(pinned)).rejects.toThrow('does not set SVC_ENV=staging')
  })

  it('staging passed off as production: does not run on a real machine', async () => {
    const other = await startGuestAgent(composeOf('environment:\n  - SVC_ENV=staging\n'))
    const real = { SVC_TEE: 'dstack', SVC_KMS_ROOT: other.kmsRoot.toString('hex') } as const
    await expect(start({ ...real, socketPath: other.socketPath })).rejects.toThrow(
      'SVC_TEE=dstack is not allowed in staging',
    )
    await expect(
      start({ SVC_SIM_ROOT_SHA256: makeRoot(), socketPath: other.socketPath }),
    ).rejects.toThrow('not allowed on a machine with a guest agent')
    await other.close()
  })
})

describe('production settings', () => {
  const settings = {
    SVC_ENV: 'production',
    SVC_TEE: 'dstack',
    SVC_PUBLIC_URL: 'https://origin.example',
    SVC_CHAIN_RPC: 'https://rpc.example',
    SVC_CONTRACT_ADDRESS: `0x${'ab'.repeat(20)}`,
    SVC_CONTRACT_BLOCK: '5',
    SVC_CHANNEL_PSK: randomBytes(32).toString('base64url'),
    SVC_KMS_ROOT: `02${'ab'.repeat(32)}`,
    SVC_TLS_DIR: '/tls',
    DATABASE_URL: 'postgres://u:p@db/svc?sslmode=verify-full',
  }

  it('are accepted with dstack, a pinned KMS root, a database and an ACME client’s files', () => {
    expect(parseSettings(settings)).toMatchObject({ SVC_ENV: 'production', SVC_TEE: 'dstack' })
  })

  it.each([
    [
      'the simulated machine',
      { SVC_TEE: 'simulated' },
      'SVC_TEE: simulated is not allowed in production',
    ],
    ['no pinned KMS root', { SVC_KMS_ROOT: undefined }, 'SVC_KMS_ROOT: required with dstack'],
    [
      'an uncompressed point as the KMS root',
      { SVC_KMS_ROOT: `04${'ab'.repeat(64)}` },
      'SVC_KMS_ROOT: expected a compressed point of 33 bytes in hex',
    ],
    [
      'dstack’s simulator',
      { DSTACK_SIMULATOR_ENDPOINT: 'http://localhost:8090' },
      'DSTACK_SIMULATOR_ENDPOINT: not allowed in production',
    ],
    [
      'a compose text from a file',
      { SVC_APP_COMPOSE_FILE: 'x' },
      'SVC_APP_COMPOSE_FILE: allowed only with simulated',
    ],
    ['an app id', { SVC_APP_ID: 'ab'.repeat(20) }, 'SVC_APP_ID: allowed only with simulated'],
    [
      'a database without TLS',
      { DATABASE_URL: 'postgres://u:p@db/svc' },
      'DATABASE_URL: must have sslmode=verify-full in production',
    ],
    [
      'a database whose host is not verified by name',
      { DATABASE_URL: 'postgres://u:p@db/svc?sslmode=no-verify' },
      'DATABASE_URL: must have sslmode=verify-full in production',
    ],
    ['no TLS files', { SVC_TLS_DIR: undefined }, 'SVC_TLS_DIR: required in production'],
  ])('are rejected: %s', (_what, change, reason) => {
    expect(() => parseSettings({ ...settings, ...change })).toThrow(reason)
  })
})
