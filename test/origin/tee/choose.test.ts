import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSettings } from '../../../origin/env.ts'
import { ROOT_KEY_FILE } from '../../../origin/keys/root-file.ts'
import { chooseTee, type TeeChoice } from '../../../origin/tee/choose.ts'
import { KeyNotAuthentic } from '../../../origin/tee/dstack/key-chain.ts'
import { TeeUnavailable } from '../../../origin/tee/provider.ts'
import { TeeRefused } from '../../../origin/tee/tee-refused.ts'
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

type Given = Partial<TeeChoice['settings']> & { socketPath?: string }
const choose = ({ socketPath, ...settings }: Given) =>
  chooseTee({
    settings: {
      SVC_ENV: 'production',
      SVC_TEE: 'dstack',
      SVC_APP_COMPOSE_FILE: undefined,
      SVC_APP_ID: undefined,
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
  it('gives the root key of its application, the same at each start', async () => {
    const { tee, rootKey } = await choose({})
    expect(tee.mode).toBe('dstack')
    expect(rootKey).toHaveLength(32)
    expect((await choose({})).rootKey).toEqual(rootKey)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('is refused without a pinned KMS root', async () => {
    await expect(choose({ SVC_KMS_ROOT: undefined })).rejects.toThrow(TeeRefused)
  })

  it('is refused when another KMS vouches for the key', async () => {
    const other = await startGuestAgent(PRODUCTION_TEXT)
    await other.close()
    const start = choose({ SVC_KMS_ROOT: other.kmsRoot.toString('hex') })
    await expect(start).rejects.toThrow(KeyNotAuthentic)
  })

  it('is refused when the key is not the one that was signed', async () => {
    agent.faults.GetKey = {
      change: (answer) => ({ ...answer, key: randomBytes(32).toString('hex') }),
    }
    await expect(choose({})).rejects.toThrow(KeyNotAuthentic)
  })

  it('is refused when the app-compose that it says is not of the compose hash that it says', async () => {
    agent.faults.Info = { change: (answer) => ({ ...answer, compose_hash: 'ab'.repeat(32) }) }
    await expect(choose({})).rejects.toThrow('not that of its app-compose')
  })

  it('is refused when it says another text than the one that was measured', async () => {
    const other = await startGuestAgent(`${PRODUCTION_TEXT} `)
    const said = await other.machine.info()
    agent.faults.Info = { change: () => ({ ...said, tcb_info: JSON.stringify(said.tcb_info) }) }
    await expect(choose({})).rejects.toThrow('not the one that was measured')
    await other.close()
  })

  it('is refused when its event log is not what its quote has measured', async () => {
    agent.faults.GetQuote = { change: (answer) => ({ ...answer, event_log: '[]' }) }
    await expect(choose({})).rejects.toThrow('own quote is not usable')
  })

  it('is refused when no guest agent is there', async () => {
    await expect(choose({ socketPath: nobody() })).rejects.toThrow(TeeUnavailable)
  })

  it.each([
    ['says nothing of it', 'services: {}'],
    ['says it in a comment', 'services:\n  # - SVC_ENV=production\n'],
    ['says local', 'environment:\n  - SVC_ENV=local\n'],
    ['leaves it to the encrypted environment', 'environment:\n  - SVC_ENV\n'],
    ['takes it from elsewhere', 'environment:\n  - SVC_ENV=${SVC_ENV:-production}\n'],
    ['says both', 'environment:\n  - SVC_ENV=production\n  - SVC_ENV=local\n'],
  ])('is refused in production when the measured compose text %s', async (_what, text) => {
    const other = await startGuestAgent(composeOf(text))
    const start = choose({
      socketPath: other.socketPath,
      SVC_KMS_ROOT: other.kmsRoot.toString('hex'),
    })
    await expect(start).rejects.toThrow('does not say SVC_ENV=production')
    await other.close()
  })

  it.each(['SVC_ENV: production', 'SVC_ENV: "production"', '- "SVC_ENV=production"'])(
    'may say it as %s',
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

  it('is there for local development, and its root key is a file', async () => {
    const { tee, rootKey } = await choose({ ...simulated, socketPath: nobody() })
    expect(tee.mode).toBe('simulated')
    expect(rootKey).toHaveLength(32)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(true)
  })

  it('is refused in production, and no root key is made', async () => {
    const start = choose({ SVC_TEE: 'simulated', socketPath: nobody() })
    await expect(start).rejects.toThrow(TeeRefused)
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('is refused where a guest agent is: somebody meant a real machine', async () => {
    await expect(choose(simulated)).rejects.toThrow('refused where a guest agent is')
    expect(existsSync(join(stateDir, ROOT_KEY_FILE))).toBe(false)
  })

  it('says the app id that it is given', async () => {
    const { tee } = await choose({
      ...simulated,
      SVC_APP_ID: 'ab'.repeat(20),
      socketPath: nobody(),
    })
    expect((await tee.info()).app_id).toBe('ab'.repeat(20))
  })
})

describe('settings of production', () => {
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
    DATABASE_URL: 'postgres://u:p@db/svc',
  }

  it('are taken with dstack, a pinned KMS root, a database and the files of an ACME client', () => {
    expect(parseSettings(settings)).toMatchObject({ SVC_ENV: 'production', SVC_TEE: 'dstack' })
  })

  it.each([
    ['the simulated machine', { SVC_TEE: 'simulated' }, 'SVC_TEE: production refuses simulated'],
    ['no pinned KMS root', { SVC_KMS_ROOT: undefined }, 'SVC_KMS_ROOT: required with dstack'],
    [
      'an uncompressed point as the KMS root',
      { SVC_KMS_ROOT: `04${'ab'.repeat(64)}` },
      'SVC_KMS_ROOT: 33-byte hex',
    ],
    [
      'dstack’s simulator',
      { DSTACK_SIMULATOR_ENDPOINT: 'http://localhost:8090' },
      'DSTACK_SIMULATOR_ENDPOINT: production refuses it',
    ],
    ['a compose text from a file', { SVC_APP_COMPOSE_FILE: 'x' }, 'SVC_APP_COMPOSE_FILE: for sim'],
    ['an app id', { SVC_APP_ID: 'ab'.repeat(20) }, 'SVC_APP_ID: for simulated alone'],
    ['no TLS files', { SVC_TLS_DIR: undefined }, 'SVC_TLS_DIR: required in production'],
  ])('are refused: %s', (_what, change, reason) => {
    expect(() => parseSettings({ ...settings, ...change })).toThrow(reason)
  })
})
