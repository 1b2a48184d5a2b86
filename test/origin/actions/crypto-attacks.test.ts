import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileEngine, engineBytes } from '../../../origin/actions/engine/engine-module.ts'
import { readGuestSources } from '../../../origin/actions/engine/guest-sources.ts'
import { Sandbox } from '../../../origin/actions/engine/sandbox.ts'
import { buildTemplate } from '../../../origin/actions/engine/template.ts'
import { IDLE_HOOKS } from '../../../origin/actions/host/run-functions.ts'
import { RSA_KEY_MAX_BITS } from '../../../shared/limits.ts'
import { failed, sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
const ended = () => sandbox.events.filter(({ type }) => type === 'executor_ended')

const HMAC = `
  const HMAC = { name: 'HMAC', hash: 'SHA-256' }
  const secret = new Uint8Array(32).fill(7)
  const keyFor = (...usages) => crypto.subtle.importKey('raw', secret, HMAC, false, usages)
  const data = new Uint8Array(100).fill(3)
  const refusal = (promise) => promise.then((value) => 'not refused: ' + value, (error) => error.name)`

describe('a key after its run', () => {
  /** Bytes that exist only in the memory of the run that computes them. */
  const SECRET = `Uint8Array.from({ length: 32 }, (_, at) => (at * 73 + 41) ^ 0x5a)`
  const needle = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 73 + 41) ^ 0x5a))
  const USE = `async function main() {
    const secret = ${SECRET}
    const how = { name: 'HMAC', hash: 'SHA-512' }
    const key = await crypto.subtle.importKey('raw', secret, how, false, ['sign', 'verify'])
    const seed = new Uint8Array([...atob('MC4CAQAwBQYDK2VwBCIEIA==')].map((c) => c.charCodeAt(0)).concat([...secret]))
    const signing = await crypto.subtle.importKey('pkcs8', seed, 'Ed25519', false, ['sign'])
    globalThis.kept = [key, signing]
    await crypto.subtle.sign('Ed25519', signing, secret)
    return crypto.subtle.verify(how, key, await crypto.subtle.sign(how, key, secret), secret)
  }`
  let here: Sandbox
  beforeAll(async () => {
    const template = await buildTemplate(engineBytes(), readGuestSources())
    here = await Sandbox.create(compileEngine(template.engine), template)
  })

  it('leaves no trace in the memory of the sandbox, which equals the template byte for byte', () => {
    const { vm } = here
    const ends: string[] = []
    const note = (...said: string[]) => void ends.push(said.join(' '))
    vm.hooks = { ...IDLE_HOOKS, finish: note, fail: note }
    vm.call('receive', ['{}'])
    vm.evaluate(USE)
    vm.call('begin', [])
    while (vm.hasJobs) vm.runJobs(256)
    expect(ends).toEqual(['true'])
    expect(vm.engine.bytes.includes(needle)).toBe(true)
    here.reset()
    expect(here.firstDifference()).toBeUndefined()
    expect(vm.engine.bytes.includes(needle)).toBe(false)
  })

  it('is not available to the next run in the same executor', async () => {
    expect(await sandbox.value(USE)).toBe(true)
    const code = `const main = () => [typeof kept, Object.keys(CryptoKey), Object.keys(crypto.subtle)]`
    const methods = ['digest', 'importKey', 'sign', 'verify']
    expect(await sandbox.value(code)).toEqual(['undefined', [], methods])
    expect(sandbox.events.filter(({ type }) => type === 'executor_ready')).toHaveLength(1)
  })
})

describe('a forged MAC', () => {
  it('is rejected if it is truncated, extended, empty, or made for other data or with another key', async () => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign', 'verify')
        const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
        const other = await crypto.subtle.importKey('raw', secret.subarray(1), HMAC, false, ['verify'])
        const verified = (mac, with_ = key) => crypto.subtle.verify('HMAC', with_, mac, data)
        const all = [mac, mac.subarray(0, 31), new Uint8Array([...mac, 0]), new Uint8Array(0), new Uint8Array(32)]
        const found = []
        for (const one of all) found.push(await verified(one))
        return [...found, await verified(mac, other), await crypto.subtle.verify('HMAC', key, mac, data.subarray(1))]
      }`
    expect(await sandbox.value(code)).toEqual([true, false, false, false, false, false, false])
  })
})

describe('a key that an action tries to modify', () => {
  it('keeps its usages and its hash after writes to its properties', async () => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign')
        const before = new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
        key.usages.push('verify'); key.usages[0] = 'verify'
        key.algorithm.hash.name = 'SHA-1'; key.algorithm.hash = { name: 'SHA-1' }; key.algorithm.name = 'Ed25519'
        const refused = await refusal(crypto.subtle.verify('HMAC', key, before, data))
        const after = new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
        return [refused, String(before) === String(after)]
      }`
    expect(await sandbox.value(code)).toEqual(['InvalidAccessError', true])
  })

  it('keeps its bytes after the source buffer changes', async () => {
    const code = `${HMAC}
      async function main() {
        const waiting = keyFor('sign')
        const before = String(new Uint8Array(await crypto.subtle.sign('HMAC', await waiting, data)))
        const twin = keyFor('sign')
        secret.fill(0)
        return before === String(new Uint8Array(await crypto.subtle.sign('HMAC', await twin, data)))
      }`
    expect(await sandbox.value(code)).toBe(true)
  })

  it('does not reveal its bytes in strings, clones, console lines or results', async () => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign')
        console.log(key, [key], { key })
        const names = []
        for (const name in key) names.push(name)
        return [JSON.stringify(key), String(key), await refusal((async () => structuredClone(key))()), names.sort(), Reflect.ownKeys(key), key]
      }`
    const result = await sandbox.run(code)
    if (result.kind !== 'returned') throw new Error(JSON.stringify(result))
    const names = ['algorithm', 'extractable', 'type', 'usages']
    const shown = ['{}', '[object CryptoKey]', 'DataCloneError', names, [], {}]
    expect(JSON.parse(result.value)).toEqual(shown)
    expect(result.logs.map(({ text }) => text).join()).not.toMatch(/7,\s*7/)
  })

  it('cannot be constructed, imitated or wrapped', async () => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign')
        const tries = [new Proxy(key, {}), Object.create(key), { ...key }, Object.create(CryptoKey.prototype)]
        const found = [await refusal((async () => new CryptoKey())())]
        for (const one of tries) found.push(await refusal(crypto.subtle.sign('HMAC', one, data)))
        return found
      }`
    expect(await sandbox.value(code)).toEqual(Array(5).fill('TypeError'))
  })
})

describe('patched built-ins beneath crypto.subtle', () => {
  const PATCHES: [string, string][] = [
    [
      'members of all objects',
      `for (const name of ['sign', 'verify', 'other', 'hash', 'curve', 'name', 'own', 'length', 'bytes', 'ext', 'd', 'key_ops', 'toJSON'])
        Object.defineProperty(Object.prototype, name, { get() { seen.push(name); return undefined }, set() { seen.push(name) }, configurable: true })`,
    ],
    [
      'elements of all arrays',
      `for (let at = 0; at < 9; at++)
        Object.defineProperty(Array.prototype, at, { set(value) { seen.push('element') }, configurable: true })`,
    ],
    [
      'what typed arrays say and do',
      `for (const [where, name] of [[Uint8Array.prototype, 'set'], [Object.getPrototypeOf(Uint8Array.prototype), 'buffer'], [Object.getPrototypeOf(Uint8Array.prototype), 'byteLength'], [Object.getPrototypeOf(Uint8Array.prototype), 'length'], [Object.getPrototypeOf(Uint8Array.prototype), 'subarray'], [Object.getPrototypeOf(Uint8Array.prototype), 'slice']])
        Object.defineProperty(where, name, { get() { seen.push(name); throw new Error('mine') }, configurable: true })
      globalThis.Uint8Array = function () { seen.push('Uint8Array') }; globalThis.ArrayBuffer = globalThis.Uint8Array`,
    ],
    [
      'texts and JSON',
      `for (const name of ['indexOf', 'slice', 'toUpperCase', 'includes', 'concat', 'charCodeAt'])
        String.prototype[name] = () => { seen.push(name); return 'RSA-PSS' }
      JSON.stringify = JSON.parse = () => { seen.push('JSON') }`,
    ],
    [
      'the key’s own class',
      `for (const name of ['type', 'algorithm', 'usages', 'extractable'])
        Object.defineProperty(CryptoKey.prototype, name, { get() { seen.push(name); return ['sign', 'verify'] } })`,
    ],
  ]

  it.each(PATCHES)('as %s see no key and change no verdict', async (_what, patch) => {
    const code = `${HMAC}
      async function main() {
        const seen = { list: '', push(name) { this.list += name + ' ' } }
        const mac = await crypto.subtle.sign('HMAC', await keyFor('sign'), data)
        const jwk = { __proto__: null, kty: 'oct', k: '${Buffer.alloc(32, 7).toString('base64url')}' }
        const how = { __proto__: null, name: 'HMAC', hash: 'SHA-256', length: undefined }
        const usages = ['verify'], bad = ['verify']
        const zeros = new Uint8Array(32)
        const copy = how
        ${patch}
        const one = await crypto.subtle.importKey('raw', secret, copy, false, usages)
        const two = await crypto.subtle.importKey('jwk', jwk, copy, false, usages)
        const good = await crypto.subtle.verify(copy, one, mac, data)
        const alike = await crypto.subtle.verify(copy, two, mac, data)
        const forged = await crypto.subtle.verify(copy, one, zeros, data)
        const heard = seen.list
        for (const name of ['sign', 'verify', 'other', 'hash', 'curve', 'name', 'own', 'length', 'bytes', 'ext', 'd', 'key_ops', 'toJSON'])
          delete Object.prototype[name]
        return heard + good + alike + forged
      }`
    expect(await sandbox.value(code)).toBe('truetruefalse')
  })
})

describe('bytes that change during an operation', () => {
  it('by a getter of the algorithm are read from the current buffer or rejected, never out of bounds', async () => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign', 'verify')
        const own = new Uint8Array(64)
        const how = { get name() { own.buffer.transfer(0); return 'HMAC' } }
        const resizable = new ArrayBuffer(64, { maxByteLength: 128 })
        const shrinking = { get name() { resizable.resize(1); return 'HMAC' } }
        const found = [await refusal(crypto.subtle.verify(how, key, new Uint8Array(32), own))]
        const view = new Uint8Array(resizable, 0, 64)
        found.push(await refusal(crypto.subtle.verify(shrinking, key, new Uint8Array(32), view)))
        return found.map((one) => /Error$|not refused: false/.test(one))
      }`
    expect(await sandbox.value(code)).toEqual([true, true])
  })

  it('of a small view of a large buffer do not allocate a second large buffer', async () => {
    const code = `${HMAC}
      async function main() {
        const large = new Uint8Array(36 * 1024 * 1024)
        const key = await crypto.subtle.importKey('raw', large.subarray(5, 37), HMAC, false, ['sign', 'verify'])
        let all = true
        for (let at = 0; at < 20; at++) {
          const mac = await crypto.subtle.sign('HMAC', key, large)
          all &&= await crypto.subtle.verify('HMAC', key, mac, large)
        }
        return all
      }`
    expect(await sandbox.value(code)).toBe(true)
  })
})

describe('an expensive key', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwk = pair.privateKey.export({ format: 'jwk' })
  const ones = (bytes: number) => Buffer.alloc(bytes, 0xff).toString('base64url')
  const importing = `async function main({ key, format = 'jwk' }) {
    const how = { name: 'RSA-PSS', hash: 'SHA-256' }
    const data = format === 'jwk' ? key : new Uint8Array(key)
    const isPrivate = format === 'pkcs8' || key.d !== undefined
    return crypto.subtle.importKey(format, data, how, false, [isPrivate ? 'sign' : 'verify'])
      .then(({ algorithm }) => algorithm.modulusLength, (error) => error.name + ': ' + error.message)
  }`

  it.each([
    ['a modulus of 16 bits more than the limit', { kty: 'RSA', n: ones(1026), e: 'AQAB' }],
    ['an exponent that is longer than the modulus', { ...jwk, d: ones(2_000) }],
    ['a prime as long as the modulus', { ...jwk, p: ones(128) }],
    ['a prime’s exponent that is longer than it', { ...jwk, dp: ones(4_000) }],
    ['more than two primes', { ...jwk, oth: [] }],
  ])('as RSA with %s is rejected on import', async (_what, key) => {
    expect(await sandbox.value(importing, { key })).toMatch(/^(Data|NotSupported)Error: /)
  })

  it('as the largest allowed RSA key is accepted', async () => {
    const key = { kty: 'RSA', n: ones(RSA_KEY_MAX_BITS / 8), e: 'AQAB' }
    expect(await sandbox.value(importing, { key })).toBe(RSA_KEY_MAX_BITS)
  })

  it('has the limit documented in docs/actions.md', () => {
    const file = new URL('../../../docs/actions.md', import.meta.url)
    const bits = RSA_KEY_MAX_BITS.toLocaleString('en')
    expect(readFileSync(file, 'utf8')).toContain(`| RSA key of \`crypto.subtle\` | ${bits} bits |`)
  })

  it('as DER with trailing bytes, or longer than any key, is rejected', async () => {
    const der = [...pair.privateKey.export({ format: 'der', type: 'pkcs8' })]
    const long = [0x30, 0x82, 0x27, 0x10, ...Buffer.alloc(10_000)]
    const found: unknown[] = []
    for (const key of [der, [...der, 0], long])
      found.push(await sandbox.value(importing, { key, format: 'pkcs8' }))
    const refused = 'DataError: crypto.subtle.importKey: the key is not pkcs8'
    expect(found).toEqual([1024, refused, refused])
  })

  it('as an RSA key that signs in an endless loop stops at the CPU time limit inside its executor', async () => {
    const large = generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey
    const code = `async function main({ key }) {
      const how = { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 }
      const signing = await crypto.subtle.importKey('jwk', key, how, false, ['sign'])
      console.log('signing')
      for (;;) try { await crypto.subtle.sign(how, signing, new Uint8Array(8)) } catch {}
    }`
    const params = JSON.stringify({ key: large.export({ format: 'jwk' }) })
    const result = failed(await sandbox.run(code, { params, cpuMs: 250 }))
    expect(result).toMatchObject({ code: 'action_timeout', logs: [{ text: 'signing' }] })
    expect(result.cpuMs).toBeLessThan(400)
    expect(ended()).toEqual([])
  })

  it.each([
    ['MACs', `sign('HMAC', key, large)`],
    ['digests', `digest('SHA-512', large)`],
  ])('as %s of all memory in an endless loop stops at the CPU time limit', async (_what, call) => {
    const code = `${HMAC}
      async function main() {
        const key = await keyFor('sign')
        const large = new Uint8Array(30e6)
        console.log('begun')
        for (;;) await crypto.subtle.${call}
      }`
    const result = failed(await sandbox.run(code, { cpuMs: 300 }))
    expect(result).toMatchObject({ code: 'action_timeout', logs: [{ text: 'begun' }] })
    expect(ended()).toEqual([])
  })
})

it('CryptoKey has the name, length, tag and members that the standard requires', async () => {
  const code = `const main = () => {
    const { get } = Object.getOwnPropertyDescriptor(CryptoKey.prototype, 'type')
    let wrong = ''
    try { get.call({}) } catch (error) { wrong = error.name }
    const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, 'CryptoKey')
    return [CryptoKey.name, CryptoKey.length, CryptoKey.prototype[Symbol.toStringTag],
      Object.keys(CryptoKey.prototype).sort(), wrong, enumerable]
  }`
  const members = ['algorithm', 'extractable', 'type', 'usages']
  const expected = ['CryptoKey', 0, 'CryptoKey', members, 'TypeError', false]
  expect(await sandbox.value(code)).toEqual(expected)
})
