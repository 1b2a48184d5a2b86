/** Builds actions that import popular packages, and runs them in the sandbox (docs/typescript.md#packages). */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { buildAction } from '../../../shared/build/build-action.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { returned, sharedPool } from './sandbox.ts'

const folder = (name: string) => fileURLToPath(new URL(`packages/${name}`, import.meta.url))

/** A node of a chain that knows only the number of its latest block. */
const server = await startWebServer(({ body }, response) => {
  const one = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: '0x1234' })
  const given = JSON.parse(body) as { id: number } | { id: number }[]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(given) ? given.map(one) : one(given)))
})
afterAll(() => server.close())
const outbound = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
const sandbox = sharedPool({ min: 1, max: 1, outbound })

/** The first account of a well-known mnemonic, and its signature of "hello". */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ONE_ETHER = '0000000000000000000000000000000000000000000000000de0b6b3a7640000'
const SIGNATURE =
  '0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c'
const node = `http://127.0.0.1:${server.port}`
const ORDER = { id: '0190d7a6-1f50-7a5e-8d3c-000000000001', amount: '12' }

const WORKING: Record<string, [params: object, result: unknown]> = {
  viem: [
    { key: KEY, node },
    {
      address: ADDRESS,
      signature: SIGNATURE,
      data: `0xa9059cbb${'0'.repeat(24)}${ADDRESS.slice(2).toLowerCase()}${ONE_ETHER}`,
      block: '0x1234',
    },
  ],
  ethers: [
    { key: KEY, node },
    { address: ADDRESS, signature: SIGNATURE, data: `0x${ONE_ETHER}`, block: '0x1234' },
  ],
  zod: [
    { event: ORDER },
    {
      amount: '12',
      issues: [
        ['id', 'invalid_format'],
        ['amount', 'too_small'],
      ],
    },
  ],
  valibot: [{ event: ORDER }, { amount: '12', issues: ['uuid', 'digits'] }],
  // FIPS 180-4, Keccak's test vectors, RFC 4231.
  '@noble/hashes': [
    { text: 'abc' },
    {
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      keccak256: '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
      hmac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
  ],
  // The generator of secp256k1, and RFC 8032, 7.1.
  '@noble/curves': [
    {
      one: '1'.padStart(64, '0'),
      seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    },
    {
      secp256k1: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      ed25519: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      signature:
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      isValid: true,
    },
  ],
  '@scure/base': [
    { text: 'Hello World!' },
    {
      base58: '2NEpo7TZRRrLZSi2U',
      base64url: 'SGVsbG8gV29ybGQh',
      bech32: expect.stringMatching(/^bc1[a-z0-9]{26}$/),
      decoded: 'Hello World!',
    },
  ],
  abitype: [
    {},
    {
      inputs: [
        ['to', 'address'],
        ['amount', 'uint256'],
      ],
      text: 'function transfer(address to, uint256 amount) returns (bool)',
    },
  ],
  'date-fns': [
    { scheduled_at: '2026-01-31T00:00:00Z' },
    { due: 'Saturday, 28th February 2026', days: 28, distance: '28 days' },
  ],
  'bignumber.js': [
    { a: '0.1', b: '0.2' },
    { sum: '0.3', root: '1.41421356237309504880', price: '1,234,567.89' },
  ],
  // RFC 7515, A.1.
  jose: [
    {
      token:
        'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      jwk: {
        kty: 'oct',
        alg: 'HS256',
        k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
      },
    },
    { issuer: 'joe', subject: 'x', forged: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' },
  ],
  nanoid: [
    {},
    {
      ids: [expect.stringMatching(/^[\w-]{21}$/), expect.stringMatching(/^[\w-]{21}$/)],
      code: expect.stringMatching(/^\d{6}$/),
    },
  ],
}

/** Packages that do not work, with what the build or the run reports. */
const UNSUPPORTED: Record<string, RegExp> = {
  pg: /\b(fs|net|dns)\b/,
  undici: /node:/,
  'tiny-secp256k1': /\.wasm|WebAssembly/,
  '@hpke/core': /generateKeyPair/,
}

/** File of the action that uses a package, such as `noble-hashes` for `@noble/hashes`. */
const fileOf = (name: string) => name.replace('@', '').replace('/', '-').replace(/\.js$/, '')

describe('a package in an action', () => {
  it.each(Object.entries(WORKING))('%s works', async (name, [params, expected]) => {
    const { code } = await buildAction(folder(`${fileOf(name)}.ts`))
    const result = await sandbox.run(code, { params: JSON.stringify(params) })
    expect(JSON.parse(returned(result).value)).toEqual(expected)
  })

  it.each(Object.entries(UNSUPPORTED))('%s does not work', async (name, reason) => {
    const attempt = async () => {
      const { code } = await buildAction(folder(`unsupported/${fileOf(name)}.js`))
      return returned(await sandbox.run(code))
    }
    await expect(attempt()).rejects.toThrow(reason)
  })

  it('is tested for each package that the documentation names', () => {
    const page = readFileSync(
      fileURLToPath(new URL('../../../docs/typescript.md', import.meta.url)),
      'utf8',
    )
    const [working = '', unsupported = ''] = page.split('\n## Packages\n')[1]!.split('do not work:')
    const named = (text: string) =>
      [...text.matchAll(/^\| (`[^|]+`) \|/gm)]
        .flatMap(([, names]) => [...names!.matchAll(/`([^`]+)`/g)])
        .map(([, name]) => name!)
    expect(named(working).toSorted()).toEqual(Object.keys(WORKING).toSorted())
    expect(named(unsupported).toSorted()).toEqual(Object.keys(UNSUPPORTED).toSorted())
    expect(readdirSync(folder('')).filter((name) => /(?<!\.d)\.ts$/.test(name)).length).toBe(
      Object.keys(WORKING).length,
    )
  })
})
