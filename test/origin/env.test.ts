import { getCACertificates } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NEW_ACCOUNT_DEFAULTS } from '../../origin/admission/new-account-defaults.ts'
import { processorCredentials } from '../../origin/credits/processor/settings.ts'
import { checkSettings, parseSettings } from '../../origin/env.ts'
import { LOCAL, PROCESSOR } from './example-settings.ts'

const NAMES = [
  ...Object.keys(LOCAL),
  'SVC_ORIGIN_PORT',
  'SVC_CHAIN_POLL_MS',
  'CHAINS',
  'SVC_CHANNEL_EPOCH',
  'SVC_EXECUTORS_MIN',
  'SVC_EXECUTION_WALL_MS',
  'SVC_OUTBOUND_ALLOW',
  'SVC_OUTBOUND_DENY',
  ...['SECRET_KEY', 'PUBLISHABLE_KEY', 'WEBHOOK_SECRET', 'URL'].map(
    (name) => `SVC_PROCESSOR_${name}`,
  ),
]
const PRODUCTION = { ...LOCAL, SVC_ENV: 'production', SVC_CHAIN_RPC: 'https://node.example' }

describe('the origin’s settings', () => {
  it('have defaults for optional settings', () => {
    expect(parseSettings(LOCAL)).toMatchObject({
      SVC_STATE_DIR: '.svc',
      SVC_ORIGIN_PORT: 8788,
      SVC_ORIGIN_HOST: '127.0.0.1',
      SVC_CONTRACT_BLOCK: 5,
      SVC_CHANNEL_EPOCH: 1,
      SVC_EXECUTION_WALL_MS: 120_000,
      SVC_EXECUTION_CPU_MS: 30_000,
      SVC_NEW_ACCOUNT_BURST: 30,
      SVC_NEW_ACCOUNT_PER_HOUR: 1_800,
      SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: undefined,
      SVC_SHED_DELAY_MS: 200,
      SVC_SHED_CPU_PRESSURE: 90,
    })
  })

  it('let one address open 30 accounts at once and 30 a minute locally, and 5 an hour in production', () => {
    expect(parseSettings(LOCAL)).toMatchObject({
      SVC_NEW_ACCOUNT_BURST: 30,
      SVC_NEW_ACCOUNT_PER_HOUR: 30 * 60,
      SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: undefined,
    })
    expect(NEW_ACCOUNT_DEFAULTS.production).toMatchObject({ burst: 5, perHour: 5 })
    expect(NEW_ACCOUNT_DEFAULTS.production.gasPerDayWei).toBeGreaterThan(0n)
  })

  it('let work in flight end within a minute in production, and stop a local stack at once', () => {
    const production = {
      ...PRODUCTION,
      SVC_TEE: 'dstack',
      SVC_KMS_ROOT: `02${'ab'.repeat(32)}`,
      SVC_TLS_DIR: '/tls',
      DATABASE_URL: 'postgres://u:p@db/svc?sslmode=verify-full',
    }
    expect(parseSettings(LOCAL).SVC_DRAIN_MS).toBe(0)
    expect(parseSettings(production).SVC_DRAIN_MS).toBe(60_000)
    expect(parseSettings({ ...production, SVC_DRAIN_MS: '0' }).SVC_DRAIN_MS).toBe(0)
  })

  it('let actions reach only public addresses, and local ones that the operator names', () => {
    expect(parseSettings(LOCAL)).toMatchObject({ SVC_OUTBOUND_ALLOW: [], SVC_OUTBOUND_DENY: [] })
    const places = {
      SVC_OUTBOUND_ALLOW: 'localhost:8545,[::1]:80',
      SVC_OUTBOUND_DENY: 'edge.example',
    }
    expect(parseSettings({ ...LOCAL, ...places })).toMatchObject({
      SVC_OUTBOUND_ALLOW: [
        { host: 'localhost', port: 8545 },
        { host: '::1', port: 80 },
      ],
      SVC_OUTBOUND_DENY: [{ host: 'edge.example', port: null }],
    })
  })

  it('accept the authority of the database only where it has an effect', () => {
    const authority = { SVC_DATABASE_CA: getCACertificates()[0]! }
    const tls = { DATABASE_URL: 'postgres://u:p@db/svc?sslmode=verify-full' }
    expect(parseSettings({ ...LOCAL, ...tls, ...authority }).SVC_DATABASE_CA).toHaveLength(1)
    expect(parseSettings({ ...LOCAL, SVC_DATABASE_CA: 'system' }).SVC_DATABASE_CA).toBeUndefined()
    const both = { DATABASE_URL: `${tls.DATABASE_URL}&sslrootcert=/ca.pem` }
    for (const wrong of [{ SVC_DATABASE_CA: 'x' }, authority, { ...both, ...authority }])
      expect(() => parseSettings({ ...LOCAL, ...wrong })).toThrow('SVC_DATABASE_CA: ')
  })

  it('grant no starter credits by default', () => {
    expect(parseSettings(LOCAL).SVC_STARTER_CREDITS_CENTS).toBe(0)
    expect(parseSettings({ ...LOCAL, SVC_STARTER_CREDITS_CENTS: '500' })).toMatchObject({
      SVC_STARTER_CREDITS_CENTS: 500,
    })
  })

  it('accept payments only if all three keys of the processor are set', () => {
    expect(processorCredentials(parseSettings(LOCAL))).toBeUndefined()
    expect(processorCredentials(parseSettings({ ...LOCAL, ...PROCESSOR }))).toEqual({
      secretKey: 'sk_test_abc',
      publishableKey: 'pk_test_abc',
      webhookSecrets: ['whsec_12345678', 'whsec_87654321'],
      live: false,
      url: undefined,
    })
    for (const name of Object.keys(PROCESSOR))
      expect(() => parseSettings({ ...LOCAL, ...PROCESSOR, [name]: undefined })).toThrow(
        `${name}: required with the other processor settings`,
      )
  })

  it.each([
    [
      'a publishable key of another mode',
      { SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_live_abc' },
      'PUBLISHABLE_KEY: must have the same mode',
    ],
    [
      'a secret key in place of the published one',
      { SVC_PROCESSOR_PUBLISHABLE_KEY: 'sk_test_abc' },
      'PUBLISHABLE_KEY: expected',
    ],
    [
      'a published key in place of the secret one',
      { SVC_PROCESSOR_SECRET_KEY: 'pk_test_abc' },
      'SECRET_KEY: expected',
    ],
    [
      'three signing secrets',
      { SVC_PROCESSOR_WEBHOOK_SECRET: 'whsec_12345678,whsec_12345678,whsec_12345678' },
      'WEBHOOK_SECRET: expected',
    ],
    [
      'a key of the live mode for another host than the processor’s',
      {
        SVC_PROCESSOR_SECRET_KEY: 'sk_live_abc',
        SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_live_abc',
        SVC_PROCESSOR_URL: 'http://localhost:1',
      },
      'SVC_PROCESSOR_URL: not allowed with a live mode key',
    ],
  ])('reject %s', (_what, wrong, message) => {
    expect(() => parseSettings({ ...LOCAL, ...PROCESSOR, ...wrong })).toThrow(message)
  })

  it('default to production if SVC_ENV is not set', () => {
    const { SVC_ENV: _left, ...rest } = LOCAL
    expect(() => parseSettings(rest)).toThrow('SVC_TEE: simulated is not allowed in production')
  })

  it.each([
    ['the simulated TEE', PRODUCTION, 'SVC_TEE: simulated is not allowed in production'],
    [
      'a machine without a pinned KMS root',
      { ...PRODUCTION, SVC_TEE: 'dstack' },
      'SVC_KMS_ROOT: required',
    ],
    [
      'outbound requests to what is not public',
      { ...PRODUCTION, SVC_OUTBOUND_ALLOW: 'localhost:8545' },
      'SVC_OUTBOUND_ALLOW: not allowed in production',
    ],
    [
      'a commit other than that of the image',
      { ...PRODUCTION, SVC_COMMIT: 'c'.repeat(40) },
      'SVC_COMMIT: not allowed in production',
    ],
    [
      'payments with play money',
      { ...PRODUCTION, ...PROCESSOR },
      'SVC_PROCESSOR_SECRET_KEY: test mode keys are not allowed in production',
    ],
    [
      'a processor that is somewhere else',
      { ...PRODUCTION, SVC_PROCESSOR_URL: 'https://elsewhere.example' },
      'SVC_PROCESSOR_URL: not allowed in production',
    ],
  ])('production rejects %s', (_what, environment, message) => {
    expect(() => parseSettings(environment)).toThrow(message)
  })

  it.each([
    ['SVC_ENV', 'prod'],
    ['SVC_NEW_ACCOUNT_BURST', '0'],
    ['SVC_NEW_ACCOUNT_PER_HOUR', 'many'],
    ['SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI', '0.5'],
    ['SVC_COMMIT', 'main'],
    ['SVC_DRAIN_MS', '900001'],
    ['SVC_DRAIN_MS', '60s'],
    ['SVC_SHED_DELAY_MS', '0'],
    ['SVC_SHED_CPU_PRESSURE', '101'],
    ['SVC_PUBLIC_URL', 'http://localhost:8788'],
    ['SVC_PUBLIC_URL', undefined],
    ['SVC_CHAIN_RPC', 'file:///etc/passwd'],
    ['SVC_CONTRACT_ADDRESS', '0x12'],
    ['SVC_CONTRACT_BLOCK', undefined],
    ['SVC_CONTRACT_BLOCK', ''],
    ['SVC_CONTRACT_BLOCK', '-1'],
    ['SVC_ORIGIN_PORT', ''],
    ['SVC_ORIGIN_PORT', '65536'],
    ['SVC_ORIGIN_PORT', '0x50'],
    ['SVC_ORIGIN_PORT', '8e3'],
    ['SVC_CHANNEL_PSK', 'short'],
    ['SVC_CHANNEL_PSK', `${'a'.repeat(42)}=`],
    ['DATABASE_URL', undefined],
    ['DATABASE_URL', 'mysql://db'],
    ['SVC_EXECUTORS_MIN', '65'],
    ['SVC_OUTBOUND_ALLOW', 'localhost'],
    ['SVC_OUTBOUND_ALLOW', 'http://localhost:80'],
    ['SVC_OUTBOUND_DENY', 'https://edge.example'],
    ['SVC_EXECUTION_WALL_MS', '900001'],
  ])('name %s in the error if it is %j', (name, value) => {
    expect(() => parseSettings({ ...LOCAL, [name]: value })).toThrow(`${name}: `)
  })

  it('take one chain node or a list of them', () => {
    const nodesOf = (SVC_CHAIN_RPC: string) =>
      parseSettings({ ...LOCAL, SVC_CHAIN_RPC }).SVC_CHAIN_RPC
    expect(nodesOf('http://127.0.0.1:8545')).toEqual(['http://127.0.0.1:8545/'])
    expect(
      nodesOf('https://a.example/key?x=1%2C2, http://u:p@b.example ,https://a.example/other'),
    ).toEqual(['https://a.example/key?x=1%2C2', 'http://u:p@b.example/', 'https://a.example/other'])
  })

  it.each([
    ['', 'expected an http or https URL'],
    ['https://a.example/k,', 'URL 2: expected an http or https URL'],
    ['https://a.example/k,b.example/k', 'URL 2: expected an http or https URL'],
    ['https://a.example/k,https://b.example/k,https://A.example/k', 'URL 3: duplicate'],
    [[1, 2, 3, 4, 5, 6].map((n) => `https://${n}.example/k`).join(), 'expected at most 5 URLs'],
  ])('reject the chain nodes %j without quoting them', (value, fault) => {
    const parse = () => parseSettings({ ...LOCAL, SVC_CHAIN_RPC: value })
    expect(parse).toThrow(`Invalid settings of the origin: SVC_CHAIN_RPC: ${fault}`)
    expect(parse).not.toThrow('example')
  })

  it('have no chains for transactions, or those of CHAINS with their defaults', () => {
    expect(parseSettings(LOCAL).CHAINS).toEqual({})
    const CHAINS = JSON.stringify({ base: { chain_id: 8453, rpc: ['http://node.example/key'] } })
    expect(parseSettings({ ...LOCAL, CHAINS }).CHAINS).toEqual({
      base: {
        chainId: 8453,
        rpc: ['http://node.example/key'],
        finality: 12,
        pollMs: 2_000,
        explorer: 'https://basescan.org',
      },
    })
  })

  it('man in the middle: production rejects a node of CHAINS over http, without quoting it', () => {
    const rpc = ['https://a.example/key', 'http://b.example/key']
    const CHAINS = JSON.stringify({
      base: { chain_id: 8453, rpc },
      ethereum: { chain_id: 8453, rpc: rpc.slice(0, 1) },
    })
    const { faults } = checkSettings({ ...PRODUCTION, CHAINS })
    expect(faults!.filter(([name]) => name.startsWith('CHAINS'))).toEqual([
      ['CHAINS.base.rpc.1', 'must use https in production'],
      ['CHAINS.base.chain_id', 'must differ from the other chains'],
    ])
  })

  it('man in the middle: production rejects a chain node over http', () => {
    const nodes = 'https://a.example,http://b.example,https://c.example'
    expect(() => parseSettings({ ...PRODUCTION, SVC_CHAIN_RPC: nodes })).toThrow(
      'SVC_CHAIN_RPC: must use https in production',
    )
  })

  it('report all errors at once, also those that concern several settings', () => {
    const { faults } = checkSettings({
      SVC_TEE: 'simulated',
      SVC_CHAIN_RPC: 'x',
      SVC_CHANNEL_PSK: 'x',
      SVC_CONTRACT_BLOCK: '5',
      SVC_EXECUTORS_MIN: '9',
      SVC_EXECUTORS_MAX: '8',
      SVC_OUTBOUND_ALLOW: 'localhost:1',
      SVC_PROCESSOR_SECRET_KEY: 'sk_test_abc',
      SVC_PROCESSOR_WEBHOOK_SECRET: 'x',
    })
    expect(faults!.map(([name]) => name).toSorted()).toEqual([
      'DATABASE_URL',
      'SVC_CHAIN_RPC',
      'SVC_CHANNEL_PSK',
      'SVC_CONTRACT_ADDRESS',
      'SVC_EXECUTORS_MIN',
      'SVC_OUTBOUND_ALLOW',
      'SVC_PROCESSOR_PUBLISHABLE_KEY',
      'SVC_PROCESSOR_SECRET_KEY',
      'SVC_PROCESSOR_WEBHOOK_SECRET',
      'SVC_PUBLIC_URL',
      'SVC_TEE',
      'SVC_TLS_DIR',
    ])
  })

  it('name a setting once if it is missing, and not also as a violation of a rule', () => {
    const { faults } = checkSettings({ ...LOCAL, SVC_TEE: 'dstack', SVC_KMS_ROOT: 'x' })
    expect(faults).toEqual([['SVC_KMS_ROOT', 'expected a compressed point of 33 bytes in hex']])
  })

  it('leaked secret: no error contains a value', () => {
    const value = fc.string({ minLength: 8, maxLength: 60 }).map((text) => `canary-${text}`)
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), value, (name, secret) => {
        try {
          parseSettings({ ...LOCAL, [name]: secret })
        } catch (error) {
          expect(String(error)).not.toContain('canary')
        }
      }),
      { numRuns: 300 },
    )
  })

  it('require a folder for the certificate if there is a certificate authority', () => {
    const SVC_ACME_DIRECTORY = 'https://acme.example/directory'
    expect(() => parseSettings({ ...LOCAL, SVC_ACME_DIRECTORY })).toThrow(
      'SVC_TLS_DIR: required with SVC_ACME_DIRECTORY',
    )
    expect(parseSettings({ ...LOCAL, SVC_ACME_DIRECTORY, SVC_TLS_DIR: '/tls' }).SVC_ACME_PORT).toBe(
      8080,
    )
  })
})
