import { describe, expect, it } from 'vitest'
import { NEW_ACCOUNT_DEFAULTS } from '../../origin/admission/new-account-defaults.ts'
import { processorCredentials } from '../../origin/credits/processor/settings.ts'
import { checkSettings, parseSettings } from '../../origin/env.ts'
import { LOCAL, PROCESSOR } from './example-settings.ts'

const STAGING = {
  ...LOCAL,
  SVC_ENV: 'staging',
  SVC_SIM_ROOT_SHA256: 'ab'.repeat(32),
  SVC_PUBLIC_URL: 'https://origin.staging.example',
  SVC_TLS_DIR: '/tls',
  DATABASE_URL: 'postgres://u:p@db/svc?sslmode=verify-full',
  ...PROCESSOR,
}

describe('the origin’s settings in staging', () => {
  it('have test payments, a simulated machine with a pinned root, and the limits of production', () => {
    expect(parseSettings(STAGING)).toMatchObject({
      SVC_TEE: 'simulated',
      SVC_NEW_ACCOUNT_BURST: NEW_ACCOUNT_DEFAULTS.production.burst,
      SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: NEW_ACCOUNT_DEFAULTS.production.gasPerDayWei,
    })
    expect(processorCredentials(parseSettings(STAGING))).toMatchObject({ live: false })
  })

  it.each([
    [
      'real money charged by a test: live mode keys',
      { SVC_PROCESSOR_SECRET_KEY: 'sk_live_abc', SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_live_abc' },
      'SVC_PROCESSOR_SECRET_KEY: live mode keys are not allowed in staging',
    ],
    [
      'staging passed off as production: a real machine',
      { SVC_TEE: 'dstack', SVC_KMS_ROOT: `02${'ab'.repeat(32)}`, SVC_SIM_ROOT_SHA256: undefined },
      'SVC_TEE: must be simulated in staging',
    ],
    [
      'exchanged root key: a simulated root that is not pinned',
      { SVC_SIM_ROOT_SHA256: undefined },
      'SVC_SIM_ROOT_SHA256: required in staging',
    ],
    [
      'another host of the processor',
      { SVC_PROCESSOR_URL: 'https://elsewhere.example' },
      'SVC_PROCESSOR_URL: not allowed in staging',
    ],
    [
      'outbound requests to local addresses',
      { SVC_OUTBOUND_ALLOW: 'localhost:8545' },
      'SVC_OUTBOUND_ALLOW: not allowed in staging',
    ],
    ['no certificate', { SVC_TLS_DIR: undefined }, 'SVC_TLS_DIR: required in staging'],
    [
      'man in the middle: a certificate authority without TLS',
      { SVC_ACME_DIRECTORY: 'http://acme.example/directory' },
      'SVC_ACME_DIRECTORY: must use https in staging',
    ],
    [
      'a database without TLS',
      { DATABASE_URL: 'postgres://u:p@db/svc' },
      'DATABASE_URL: must have sslmode=verify-full in staging',
    ],
  ])('reject %s', (_what, changes, message) => {
    expect(() => parseSettings({ ...STAGING, ...changes })).toThrow(message)
  })

  it('staging settings in production: each relaxation is refused on its own', () => {
    const production = {
      ...STAGING,
      SVC_ENV: 'production',
      SVC_CHAIN_RPC: 'https://node.example',
      SVC_TEE: 'dstack',
      SVC_KMS_ROOT: `02${'ab'.repeat(32)}`,
      SVC_SIM_ROOT_SHA256: undefined,
      SVC_PROCESSOR_SECRET_KEY: 'sk_live_abc',
      SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_live_abc',
    }
    const faulty = (changes: object) =>
      checkSettings({ ...production, ...changes }).faults?.map(([name]) => name)
    const { SVC_PROCESSOR_SECRET_KEY, SVC_PROCESSOR_PUBLISHABLE_KEY } = PROCESSOR
    expect(faulty({})).toBeUndefined()
    expect(faulty({ SVC_TEE: 'simulated' })).toEqual(['SVC_TEE'])
    expect(faulty({ SVC_SIM_ROOT_SHA256: STAGING.SVC_SIM_ROOT_SHA256 })).toEqual([
      'SVC_SIM_ROOT_SHA256',
    ])
    expect(faulty({ SVC_PROCESSOR_SECRET_KEY, SVC_PROCESSOR_PUBLISHABLE_KEY })).toEqual([
      'SVC_PROCESSOR_SECRET_KEY',
    ])
    expect(faulty({ ...STAGING, SVC_ENV: 'production' })).toEqual([
      'SVC_TEE',
      'SVC_CHAIN_RPC',
      'SVC_PROCESSOR_SECRET_KEY',
    ])
  })
})
