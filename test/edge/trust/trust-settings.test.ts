import { describe, expect, it } from 'vitest'
import wrangler from '../../../wrangler.toml?raw'
import { type Env, settingsOf } from '../../../edge/env.ts'
import { attestationPolicy } from '../../../edge/trust/trust-settings.ts'
import { verifyOriginEvidence } from '../../../edge/trust/verify-origin.ts'
import { env, random } from '../app.ts'

const hex = (bytes: number) => 'ab'.repeat(bytes)
const MACHINE = { mrtd: hex(48), rtmr0: hex(48), rtmr1: hex(48), rtmr2: hex(48) }

/** The settings in `wrangler.toml` and those that a deployment adds, as strings. */
const PRODUCTION = {
  SVC_ENV: 'production',
  ORIGIN_URL: 'https://origin.test',
  PUBLIC_URL: 'https://edge.test',
  ORIGIN_TRUST: 'hardware',
  ORIGIN_APP_ID: hex(20),
  ORIGIN_COMPOSE_HASHES: `${hex(32)}, ${'cd'.repeat(32)}`,
  ORIGIN_MEASUREMENTS: JSON.stringify([MACHINE]),
  CHANNEL_PSK: env.CHANNEL_PSK,
  ID_MAC_KEY: env.ID_MAC_KEY,
}
type Changes = Record<string, string | undefined>
const settingsWith = (changes: Changes, base: Changes = PRODUCTION) =>
  settingsOf({ ...base, ...changes } as unknown as Env)
const LOCAL = { ...PRODUCTION, SVC_ENV: 'local' }

describe('production settings', () => {
  it('require Intel’s root, current TCB status, one application and known machines', () => {
    expect(attestationPolicy(settingsWith({}))).toEqual({
      root: { kind: 'intel' },
      statuses: ['UpToDate'],
      appId: hex(20),
      composeHashes: [hex(32), 'cd'.repeat(32)],
      measurements: [MACHINE],
    })
  })

  it.each<[string, Changes, string]>([
    ['a simulated root', { SIM_ROOT_SHA256: hex(32) }, 'SIM_ROOT_SHA256'],
    ['the policy `simulated`', { ORIGIN_TRUST: 'simulated' }, 'ORIGIN_TRUST'],
    ['both', { ORIGIN_TRUST: 'simulated', SIM_ROOT_SHA256: hex(32) }, 'ORIGIN_TRUST'],
    ['the policy of before, `pinned`', { ORIGIN_TRUST: 'pinned' }, 'ORIGIN_TRUST'],
    ['no policy', { ORIGIN_TRUST: undefined }, 'ORIGIN_TRUST'],
    ['any application', { ORIGIN_APP_ID: undefined }, 'ORIGIN_APP_ID'],
    ['any machine', { ORIGIN_MEASUREMENTS: undefined }, 'ORIGIN_MEASUREMENTS'],
    ['an empty list of machines', { ORIGIN_MEASUREMENTS: '[]' }, 'ORIGIN_MEASUREMENTS'],
    ['any compose hash', { ORIGIN_COMPOSE_HASHES: undefined }, 'ORIGIN_COMPOSE_HASHES'],
    ['an empty list of compose hashes', { ORIGIN_COMPOSE_HASHES: '' }, 'ORIGIN_COMPOSE_HASHES'],
    [
      'a governance that anybody on the way can answer for',
      { GOVERNANCE_RPC: 'http://rpc.test' },
      'GOVERNANCE_RPC',
    ],
    ['a revoked platform', { TCB_STATUSES: 'UpToDate,Revoked' }, 'TCB_STATUSES'],
    ['a status that is none', { TCB_STATUSES: 'any' }, 'TCB_STATUSES'],
    [
      'the payment script of somebody else',
      { PAYMENT_SCRIPT_URL: 'https://js.stripe.test/v3/' },
      'PAYMENT_SCRIPT_URL',
    ],
  ])('reject %s', (_, changes, name) => {
    expect(() => settingsWith(changes)).toThrow(name)
  })

  it('may leave the compose hashes to the governance contract', () => {
    const changes = { ORIGIN_COMPOSE_HASHES: undefined, GOVERNANCE_RPC: 'https://rpc.test/key' }
    expect(attestationPolicy(settingsWith(changes))).not.toHaveProperty('composeHashes')
  })

  it('are named if invalid, without revealing their values', () => {
    const secret = 'canary'
    const wrong = [
      'ORIGIN_APP_ID',
      'ORIGIN_COMPOSE_HASHES',
      'ORIGIN_MEASUREMENTS',
      'GOVERNANCE_RPC',
    ]
    for (const name of wrong)
      try {
        settingsWith({ [name]: secret })
        expect.unreachable()
      } catch (error) {
        expect(String(error)).toContain(name)
        expect(String(error)).not.toContain(secret)
      }
  })
})

describe('a simulated root requires three settings', () => {
  const simulated = { ORIGIN_TRUST: 'simulated', SIM_ROOT_SHA256: hex(32) }

  it('and accepts only that root', () => {
    const { root } = attestationPolicy(settingsWith(simulated, LOCAL))
    expect(root).toEqual({ kind: 'simulated', spkiSha256: hex(32) })
  })

  it.each<[string, Changes]>([
    ['without the policy', { ...simulated, ORIGIN_TRUST: 'hardware' }],
    ['without its hash', { ...simulated, SIM_ROOT_SHA256: undefined }],
    ['with an empty hash', { ...simulated, SIM_ROOT_SHA256: '' }],
    ['in production', { ...simulated, SVC_ENV: 'production' }],
  ])('and is rejected %s', (_, changes) => {
    expect(() => settingsWith(changes, LOCAL)).toThrow(/SIM_ROOT_SHA256|ORIGIN_TRUST/)
  })
})

describe('staging settings', () => {
  const STAGING = {
    ...PRODUCTION,
    SVC_ENV: 'staging',
    ORIGIN_TRUST: 'simulated',
    SIM_ROOT_SHA256: hex(32),
    ORIGIN_APP_ID: undefined,
    ORIGIN_COMPOSE_HASHES: undefined,
    ORIGIN_MEASUREMENTS: undefined,
  }

  it('accept exactly one simulated root', () => {
    const { root } = attestationPolicy(settingsWith({}, STAGING))
    expect(root).toEqual({ kind: 'simulated', spkiSha256: hex(32) })
  })

  it.each<[string, Changes, string]>([
    [
      'staging edge at a production origin: a hardware root',
      { ORIGIN_TRUST: 'hardware', SIM_ROOT_SHA256: undefined },
      'ORIGIN_TRUST: must be simulated in staging',
    ],
    ['a simulated root that is not pinned', { SIM_ROOT_SHA256: undefined }, 'SIM_ROOT_SHA256'],
    ['plain HTTP to the governance', { GOVERNANCE_RPC: 'http://rpc.test' }, 'GOVERNANCE_RPC'],
    [
      'plain HTTP to a chain',
      { CHAINS: '{"base":{"chain_id":8453,"rpc":["http://node.test"]}}' },
      'CHAINS.base.rpc.0: must use https in staging',
    ],
    [
      'the payment script of somebody else',
      { PAYMENT_SCRIPT_URL: 'https://js.stripe.test/v3/' },
      'PAYMENT_SCRIPT_URL: staging allows only',
    ],
  ])('reject %s', (_, changes, fault) => {
    expect(() => settingsWith(changes, STAGING)).toThrow(fault)
  })

  it('staging settings in production: each relaxation is refused on its own', () => {
    const relaxations: Changes[] = [
      { ORIGIN_TRUST: 'simulated' },
      { SIM_ROOT_SHA256: hex(32) },
      { ORIGIN_APP_ID: undefined },
      { ORIGIN_COMPOSE_HASHES: undefined },
      { ORIGIN_MEASUREMENTS: undefined },
    ]
    expect(() => settingsWith({})).not.toThrow()
    for (const changes of relaxations)
      expect(() => settingsWith(changes)).toThrow('settings are not usable')
    expect(() => settingsWith({ SVC_ENV: 'production' }, STAGING)).toThrow(
      /ORIGIN_TRUST: must be hardware in production.*ORIGIN_MEASUREMENTS: required/,
    )
  })
})

describe('the default wrangler.toml', () => {
  const section = wrangler.split('[vars]')[1]!.split('\n[')[0]!
  const vars = Object.fromEntries(
    [...section.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
  )
  /** Added by a deployment. The values match the machine that the origin double simulates. */
  const names = [
    'ORIGIN_URL',
    'PUBLIC_URL',
    'CHANNEL_PSK',
    'ID_MAC_KEY',
    'ORIGIN_APP_ID',
    'ORIGIN_COMPOSE_HASHES',
    'ORIGIN_MEASUREMENTS',
  ] as const
  const added = Object.fromEntries(names.map((name) => [name, env[name]]))
  const verify = (settings: ReturnType<typeof settingsOf>) =>
    verifyOriginEvidence({
      settings,
      fetch: (input, init) => fetch(input, init),
      random,
      now: Date.now,
    })

  it('is for production, with Intel’s root', () => {
    expect(vars).toMatchObject({ SVC_ENV: 'production', ORIGIN_TRUST: 'hardware' })
    expect(vars).not.toHaveProperty('SIM_ROOT_SHA256')
  })

  it('is rejected until a deployment names the trusted machine', () => {
    const without = { ...added, ORIGIN_MEASUREMENTS: undefined }
    expect(() => settingsWith(without, vars)).toThrow('ORIGIN_MEASUREMENTS')
  })

  it('rejects a simulated quote of an otherwise correct machine', async () => {
    const refused = verify(settingsWith(added, vars))
    await expect(refused).rejects.toMatchObject({ name: 'EvidenceRejectedError', rule: 'quote' })
    // The same machine passes if its root is trusted.
    const { SIM_ROOT_SHA256 } = env
    const simulated = { SVC_ENV: 'local', ORIGIN_TRUST: 'simulated', SIM_ROOT_SHA256 }
    const verified = await verify(settingsWith({ ...added, ...simulated }, vars))
    expect(verified.report.verdict).toBe('SIMULATED')
  })
})
