import type { webcrypto } from 'node:crypto'
import { generateKeyPairSync, randomBytes, randomInt, sign as signByNode } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

type Algorithm = { name: string } & Record<string, unknown>

/** A probe's input: it imports a key, verifies signatures, and signs if the algorithm is deterministic. */
type Case = {
  format: 'raw' | 'spki' | 'pkcs8' | 'jwk'
  key: number[] | JsonWebKey
  import: Algorithm | string
  usages: string[]
  use: Algorithm | string
  data: number[]
  signatures: number[][]
  signs: boolean
  extractable?: boolean
}

type JsonWebKey = Record<string, unknown>

/** Must be self-contained: it is sent to the sandbox as text. */
async function probe(given: Case) {
  const bytes = (list: number[]) => new Uint8Array(list)
  const hex = (buffer: ArrayBuffer) =>
    [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const data = Array.isArray(given.key) ? bytes(given.key) : given.key
  const key = await crypto.subtle.importKey(
    given.format as 'raw',
    data as Uint8Array<ArrayBuffer>,
    given.import,
    given.extractable ?? false,
    given.usages as ('sign' | 'verify')[],
  )
  const { type, extractable, usages } = key
  const algorithm = { ...key.algorithm } as Record<string, unknown>
  if (algorithm['publicExponent'])
    algorithm['publicExponent'] = [...(algorithm['publicExponent'] as Uint8Array)]
  const verified: boolean[] = []
  for (const signature of given.signatures) {
    const part = bytes([7, ...given.data]).subarray(1)
    verified.push(await crypto.subtle.verify(given.use, key, bytes(signature), part))
  }
  const made = given.signs ? hex(await crypto.subtle.sign(given.use, key, bytes(given.data))) : ''
  return { type, extractable, usages, algorithm, verified, made }
}

const HASHES = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']
const list = (bytes: Uint8Array | ArrayBuffer) => [...new Uint8Array(bytes)]

/** Returns the signature and modified versions of it. */
function tampered(signature: number[]): number[][] {
  const flipped = signature.slice()
  const at = randomInt(signature.length)
  flipped[at] = flipped[at]! ^ (1 << randomInt(8))
  const other = list(randomBytes(signature.length))
  const zeros = signature.map(() => 0)
  return [signature, flipped, signature.slice(1), [...signature, 0], other, zeros, []]
}

/** Random data of a length around the digests' block sizes, or of any length. */
const someData = () => list(randomBytes([0, 1, 55, 64, 111, 128, randomInt(600)][randomInt(7)]!))

describe('HMAC', () => {
  it('behaves as in Node for random keys, messages and tampered MACs', async () => {
    const cases: Case[] = []
    for (let n = 0; n < 120; n++) {
      const secret = list(randomBytes(1 + randomInt(150)))
      const hash = HASHES[n % 4]!
      const data = someData()
      const use = { name: 'HMAC', hash }
      const both: KeyUsage[] = ['sign', 'verify']
      const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), use, true, both)
      const mac = list(await crypto.subtle.sign('HMAC', key, new Uint8Array(data)))
      const isRaw = n % 3 !== 0
      cases.push({
        format: isRaw ? 'raw' : 'jwk',
        key: isRaw ? secret : { ...(await crypto.subtle.exportKey('jwk', key)) },
        import: use,
        usages: both,
        use: 'hmac',
        data,
        signatures: tampered(mac),
        signs: true,
        extractable: n % 2 === 0,
      })
    }
    await sameAsNode(sandbox, cases, probe)
  })

  it.each([249, 253, 255, 256])('uses the %i bits given by length, as in Node', (length) =>
    sameAsNode(
      sandbox,
      HASHES.map((hash) => ({
        format: 'raw' as const,
        key: list(randomBytes(32)),
        import: { name: 'HMAC', hash, length },
        usages: ['sign'],
        use: 'HMAC',
        data: someData(),
        signatures: [],
        signs: true,
      })),
      probe,
    ),
  )
})

type KeyUsage = 'sign' | 'verify'
type Pair = { publicKey: webcrypto.CryptoKey; privateKey: webcrypto.CryptoKey }

/** Asymmetric algorithms: name, import algorithm, use algorithm, key formats. */
const PAIRS: [string, Algorithm, Algorithm, string[]][] = [
  ['Ed25519', { name: 'Ed25519' }, { name: 'ed25519' }, ['raw', 'spki', 'jwk']],
  ...['P-256', 'P-384'].flatMap((namedCurve) =>
    HASHES.map((hash): [string, Algorithm, Algorithm, string[]] => [
      `ECDSA, ${namedCurve} and ${hash}`,
      { name: 'ECDSA', namedCurve },
      { name: 'ecdsa', hash },
      ['raw', 'spki', 'jwk'],
    ]),
  ),
  ...HASHES.flatMap((hash): [string, Algorithm, Algorithm, string[]][] => [
    [
      `RSASSA-PKCS1-v1_5 and ${hash}`,
      { name: 'RSASSA-PKCS1-v1_5', hash },
      { name: 'rsassa-pkcs1-V1_5' },
      ['spki', 'jwk'],
    ],
    [
      `RSA-PSS and ${hash}`,
      { name: 'RSA-PSS', hash },
      { name: 'RSA-PSS', saltLength: hash === 'SHA-1' ? 0 : 20 },
      ['spki', 'jwk'],
    ],
  ]),
]

/** One key pair for all hashes, because generating an RSA key is slow. */
const rsa = new Map<string, Pair>()
beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const name of ['RSASSA-PKCS1-v1_5', 'RSA-PSS'])
    for (const hash of HASHES)
      rsa.set(name + hash, {
        publicKey: await crypto.subtle.importKey(
          'spki',
          publicKey.export({ format: 'der', type: 'spki' }),
          { name, hash },
          true,
          ['verify'],
        ),
        privateKey: await crypto.subtle.importKey(
          'pkcs8',
          privateKey.export({ format: 'der', type: 'pkcs8' }),
          { name, hash },
          true,
          ['sign'],
        ),
      })
})

async function pairOf(algorithm: Algorithm): Promise<Pair> {
  const kept = rsa.get(`${algorithm.name}${String(algorithm['hash'])}`)
  if (kept) return kept
  return (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as Pair
}

describe.each(PAIRS)('%s', (name, algorithm, use, formats) => {
  it('accepts and rejects the same signatures as Node, in every key format', async () => {
    const cases: Case[] = []
    for (let n = 0; n < 4; n++) {
      const { publicKey, privateKey } = await pairOf(algorithm)
      const data = someData()
      const signature = list(await crypto.subtle.sign(use, privateKey, new Uint8Array(data)))
      for (const format of formats as ('raw' | 'spki' | 'jwk')[]) {
        const exported = await crypto.subtle.exportKey(format as 'raw', publicKey)
        const key = format === 'jwk' ? { ...(exported as object) } : list(exported)
        const usages = ['verify']
        const signatures = tampered(signature)
        cases.push({ format, key, import: algorithm, usages, use, data, signatures, signs: false })
      }
    }
    await sameAsNode(sandbox, cases, probe)
  })

  it('creates signatures that Node accepts', async () => {
    const { publicKey, privateKey } = await pairOf(algorithm)
    for (const format of ['pkcs8', 'jwk'] as const) {
      const exported = await crypto.subtle.exportKey(format as 'pkcs8', privateKey)
      const key = format === 'jwk' ? { ...exported } : list(exported)
      const data = someData()
      const code = `${String(probe)}; const main = probe`
      const usages = ['sign']
      const given = { format, key, import: algorithm, usages, use, data, signatures: [] }
      const { made } = (await sandbox.value(code, { ...given, signs: true })) as { made: string }
      const signature = Buffer.from(made, 'hex')
      const verified = crypto.subtle.verify(use, publicKey, signature, new Uint8Array(data))
      expect([name, format, await verified]).toEqual([name, format, true])
    }
  })
})

describe('an invalid import', () => {
  const secret = list(randomBytes(32))
  const HMAC = { name: 'HMAC', hash: 'SHA-256' }
  const oct = { kty: 'oct', k: Buffer.from(secret).toString('base64url') }
  const P256 = { name: 'ECDSA', namedCurve: 'P-256' }
  const PSS = { name: 'RSA-PSS', hash: 'SHA-256' }
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = list(pair.publicKey.export({ format: 'der', type: 'spki' }))
  const pkcs8 = list(pair.privateKey.export({ format: 'der', type: 'pkcs8' }))
  const jwk = pair.publicKey.export({ format: 'jwk' })
  const point = spki.slice(26)
  const k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const explicit = generateKeyPairSync('ec', { namedCurve: 'P-521', paramEncoding: 'explicit' })

  const REFUSED: [string, unknown[]][] = [
    ['an empty key', ['raw', [], HMAC, false, ['sign']]],
    ['a length that is too long', ['raw', secret, { ...HMAC, length: 257 }, false, ['sign']]],
    ['a length that is too short', ['raw', secret, { ...HMAC, length: 248 }, false, ['sign']]],
    ['no length at all', ['raw', secret, { ...HMAC, length: 0 }, false, ['sign']]],
    ['a length out of range', ['raw', secret, { ...HMAC, length: -1 }, false, ['sign']]],
    ['a length that is no number', ['raw', secret, { ...HMAC, length: 'x' }, false, ['sign']]],
    ['no usage', ['raw', secret, HMAC, false, []]],
    ['a usage of other algorithms', ['raw', secret, HMAC, false, ['encrypt']]],
    ['a usage that does not exist', ['raw', secret, HMAC, false, ['x']]],
    ['usages that are no list', ['raw', secret, HMAC, false, 5]],
    ['a format that does not exist', ['x', secret, HMAC, false, ['sign']]],
    ['spki of a secret', ['spki', secret, HMAC, false, ['sign']]],
    ['HMAC without a hash', ['raw', secret, 'HMAC', false, ['sign']]],
    ['HMAC with MD5', ['raw', secret, { name: 'HMAC', hash: 'MD5' }, false, ['sign']]],
    ['an algorithm that does not exist', ['raw', secret, 'X', false, ['sign']]],
    ['an algorithm named as a member of objects', ['raw', secret, 'constructor', false, ['sign']]],
    ['an algorithm without a name', ['raw', secret, {}, false, ['sign']]],
    ['a JWK where bytes are expected', ['raw', { ...oct }, HMAC, false, ['sign']]],
    ['a secret JWK without k', ['jwk', { kty: 'oct' }, HMAC, false, ['sign']]],
    ['a JWK of another kty', ['jwk', { ...jwk }, HMAC, false, ['sign']]],
    ['key_ops without the usage', ['jwk', { ...oct, key_ops: ['verify'] }, HMAC, false, ['sign']]],
    ['key_ops twice', ['jwk', { ...oct, key_ops: ['sign', 'sign'] }, HMAC, false, ['sign']]],
    ['another use', ['jwk', { ...oct, use: 'enc' }, HMAC, false, ['sign']]],
    ['ext that forbids', ['jwk', { ...oct, ext: false }, HMAC, true, ['sign']]],
    ['alg of another hash', ['jwk', { ...oct, alg: 'HS512' }, HMAC, false, ['sign']]],
    ['a public key that is to sign', ['spki', spki, P256, false, ['sign']]],
    ['a private key that is to verify', ['pkcs8', pkcs8, P256, false, ['verify']]],
    ['a private key without usages', ['pkcs8', pkcs8, P256, false, []]],
    ['a key of another curve', ['spki', spki, { ...P256, namedCurve: 'P-384' }, false, ['verify']]],
    ['a curve that does not exist', ['raw', point, { ...P256, namedCurve: 'P-1' }, false, []]],
    ['a curve in other letters', ['raw', point, { ...P256, namedCurve: 'p-256' }, false, []]],
    ['ECDSA without a curve', ['raw', point, 'ECDSA', false, ['verify']]],
    ['a point that is not on the curve', ['raw', [4, ...secret, ...secret], P256, false, []]],
    ['a point that is too short', ['raw', point.slice(1), P256, false, []]],
    ['the point at infinity', ['raw', [0], P256, false, []]],
    ['spki of another algorithm', ['spki', spki, { name: 'Ed25519' }, false, ['verify']]],
    ['spki as pkcs8', ['pkcs8', spki, P256, false, ['sign']]],
    ['pkcs8 as spki', ['spki', pkcs8, P256, false, ['verify']]],
    ['spki that is cut', ['spki', spki.slice(0, -1), P256, false, ['verify']]],
    ['a JWK of another crv', ['jwk', { ...jwk, crv: 'P-384' }, P256, false, ['verify']]],
    ['a JWK whose point is off', ['jwk', { ...jwk, y: jwk.x }, P256, false, ['verify']]],
    ['a JWK without y', ['jwk', { kty: 'EC', crv: 'P-256', x: jwk.x }, P256, false, ['verify']]],
    ['a curve of other uses', ['spki', list(spkiOf(k1)), P256, false, ['verify']]],
    ['a curve that is written out', ['spki', list(spkiOf(explicit)), P256, false, ['verify']]],
    ['a raw key of RSA', ['raw', secret, PSS, false, ['verify']]],
    ['spki of EC as RSA', ['spki', spki, PSS, false, ['verify']]],
    ['junk as RSA', ['spki', secret, PSS, false, ['verify']]],
    ['RSA without a hash', ['spki', secret, 'RSA-PSS', false, ['verify']]],
    ['a raw Ed25519 key that is to sign', ['raw', secret, 'Ed25519', false, ['sign']]],
    ['a raw Ed25519 key that is too short', ['raw', secret.slice(1), 'Ed25519', false, []]],
    ['too few arguments', ['raw', secret, HMAC, false]],
  ]

  function spkiOf({ publicKey }: { publicKey: { export(options: object): unknown } }): Buffer {
    return publicKey.export({ format: 'der', type: 'spki' }) as Buffer
  }

  it('fails with the same error name as in Node', () =>
    sameAsNode(
      sandbox,
      REFUSED.map(([what, args]) => ({ what, args })),
      async ({ args }) => {
        const [, data] = args
        const given: unknown[] = args.slice()
        if (Array.isArray(data)) given[1] = new Uint8Array(data as number[])
        const subtle = crypto.subtle as unknown as Record<
          string,
          (...all: unknown[]) => Promise<unknown>
        >
        return Reflect.apply(subtle['importKey']!, crypto.subtle, given).then(
          () => 'imported',
          (error: unknown) => [(error as Error).name, error instanceof DOMException],
        )
      },
    ))

  it('always fails', async () => {
    const code = `async function main({ all }) {
      const imported = []
      for (const [what, args] of all) {
        if (Array.isArray(args[1])) args[1] = new Uint8Array(args[1])
        await crypto.subtle.importKey(...args).then(() => imported.push(what), () => {})
      }
      return imported
    }`
    expect(await sandbox.value(code, { all: REFUSED })).toEqual([])
  })
})

it('using a key for another purpose fails with the same error name as in Node', () =>
  sameAsNode(
    sandbox,
    [
      ['verify', 'HMAC', 'signing'],
      ['sign', 'HMAC', 'verifying'],
      ['sign', { name: 'ECDSA', hash: 'SHA-1' }, 'signing'],
      ['sign', 'X', 'signing'],
      ['sign', {}, 'signing'],
      ['sign', 'HMAC', 'nothing'],
      ['sign', 'HMAC', 'object'],
      ['sign', 'HMAC', 'prototype'],
      ['sign', 'HMAC', 'text'],
      ['verify', 'HMAC', 'text'],
      ['sign', 'ECDSA', 'public'],
      ['sign', { name: 'ECDSA', hash: 'SHA-256' }, 'public'],
      ['verify', { name: 'ECDSA' }, 'public'],
      ['verify', { name: 'ECDSA', hash: 'MD5' }, 'public'],
      ['verify', { name: 'RSA-PSS' }, 'public'],
      ['verify', { name: 'RSA-PSS', saltLength: -1 }, 'public'],
      ['verify', { name: 'RSA-PSS', saltLength: 2 ** 32 }, 'public'],
    ] as const,
    async ([usage, algorithm, which]) => {
      const hash = { name: 'HMAC', hash: 'SHA-256' }
      const secret = new Uint8Array(32)
      const use = which === 'verifying' ? 'verify' : 'sign'
      const own = await crypto.subtle.importKey('raw', secret, hash, false, [use])
      const x = '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6'
      const y = '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299'
      const bytes = [4, ...(x + y).match(/../g)!.map((pair) => parseInt(pair, 16))]
      const curve = { name: 'ECDSA', namedCurve: 'P-256' }
      const point = new Uint8Array(bytes)
      const open = await crypto.subtle.importKey('raw', point, curve, true, ['verify'])
      const keys: Record<string, unknown> = {
        signing: own,
        verifying: own,
        text: own,
        public: open,
      }
      keys['object'] = { type: 'secret', usages: ['sign'], algorithm: hash }
      keys['prototype'] = Object.create(own)
      const data: unknown = which === 'text' ? 'text' : new Uint8Array(3)
      const { sign, verify } = crypto.subtle as unknown as Record<
        string,
        (...args: unknown[]) => Promise<unknown>
      >
      const args = usage === 'sign' ? [data] : [new Uint8Array(32), data]
      const method = (usage === 'sign' ? sign : verify)!
      return Reflect.apply(method, crypto.subtle, [algorithm, keys[which], ...args]).then(
        () => 'done',
        (error: unknown) => [(error as Error).name, error instanceof DOMException],
      )
    },
  ))

it('accepts a node:crypto signature in Web Crypto format, but not in DER', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (dsaEncoding: 'ieee-p1363' | 'der') =>
    list(signByNode('sha256', Buffer.from('abc'), { key: privateKey, dsaEncoding }))
  const code = `async function main({ spki, signatures }) {
    const how = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('spki', new Uint8Array(spki), how, true, ['verify'])
    const data = new TextEncoder().encode('abc')
    const found = []
    for (const signature of signatures)
      found.push(await crypto.subtle.verify(how, key, new Uint8Array(signature), data))
    return found
  }`
  const spki = list(publicKey.export({ format: 'der', type: 'spki' }))
  const signatures = [signed('ieee-p1363'), signed('der')]
  expect(await sandbox.value(code, { spki, signatures })).toEqual([true, false])
})
