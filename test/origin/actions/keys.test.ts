import { id, verifyMessage, Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { parseExecutorMessage } from '../../../origin/actions/messages.ts'
import { KeyGate } from '../../../origin/actions/pool/key-gate.ts'
import type { Capability, KeyOperation } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import {
  CIPHERTEXT_MAX_CHARACTERS,
  ENCRYPTED_MESSAGE_MAX_BYTES,
  KEY_OPERATIONS_MAX,
} from '../../../shared/limits.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const KEY = `0x${'7b'.repeat(32)}`

/** Grants KEY for every operation and records the requests. */
function granting() {
  const asked: KeyOperation[] = []
  const capability: Capability = {
    keyOperation: async (operation) => {
      asked.push(operation)
      return KEY
    },
  }
  return { asked, capability }
}

describe('Svc.Actions', () => {
  it('signs with an ethers v5 wallet, and ethers v6 recovers the address', async () => {
    const { capability, asked } = granting()
    const code = `async function main({ pkpId, message }) {
      const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }))
      return { address: wallet.address, signature: await wallet.signMessage(message) }
    }`
    const params = JSON.stringify({ pkpId: '0xabc', message: 'héllo' })
    const result = returned(await sandbox.run(code, { params }, capability))
    const { address, signature } = JSON.parse(result.value) as Record<string, string>
    expect(address).toBe(new Wallet(KEY).address)
    expect(verifyMessage('héllo', signature ?? '')).toBe(address)
    expect(asked).toEqual([{ name: 'getPrivateKey', pkpId: '0xabc' }])
  })

  it('forwards each operation with its input', async () => {
    const { capability, asked } = granting()
    const code = `async function main() {
      await Svc.Actions.getSvcActionPrivateKey()
      await Svc.Actions.getSvcActionPublicKey({ ipfsId: 'Qm1\\0' })
      return Svc.Actions.getSvcActionWalletAddress({ ipfsId: 'Qm2' })
    }`
    expect(returned(await sandbox.run(code, {}, capability)).value).toBe(JSON.stringify(KEY))
    expect(asked).toEqual([
      { name: 'getSvcActionPrivateKey' },
      { name: 'getSvcActionPublicKey', ipfsId: 'Qm1\0' },
      { name: 'getSvcActionWalletAddress', ipfsId: 'Qm2' },
    ])
  })

  it('is frozen, including its functions', async () => {
    const code = `'use strict'; async function main() {
      const tries = [
        () => { Svc.Actions.getPrivateKey = 1 }, () => { Svc.Actions.getPrivateKey.call = 1 },
        () => { Svc.Actions.more = 1 }, () => { Svc.Actions = 1 }, () => { Svc = 1 }, () => { delete globalThis.Svc },
        () => Object.defineProperty(globalThis, 'Svc', { value: 1 }),
        () => Object.defineProperty(globalThis, 'Svc', { get: () => 1 }), () => Object.setPrototypeOf(Svc.Actions, {}),
      ]
      return tries.map((attempt) => { try { attempt(); return 'changed' } catch (e) { return e.name } })
    }`
    expect(await sandbox.value(code)).toEqual(Array(9).fill('TypeError'))
  })

  it('keeps its name: rejects a lexical declaration of it, and allows a var or a local name', async () => {
    const main = 'async function main() { return typeof Svc.Actions }'
    for (const declared of ['const Svc = {}', 'let Svc', 'class Svc {}', 'function Svc() {}'])
      expect(failed(await sandbox.run(`${declared}\n${main}`)).code).toBe('action_threw')
    expect(await sandbox.value(`var Svc = 1; Svc = 2\n${main}`)).toBe('object')
    expect(await sandbox.value('const main = (Svc) => Svc.mine', { mine: 1 })).toBe(1)
  })

  it('rejects with the message of the key-holding process, at the line of the call', async () => {
    const capability = {
      keyOperation: () => Promise.reject(new Error('wallet 0xabc is in no group of this action')),
    }
    const code = `async function main() {\n  await Svc.Actions.getPrivateKey({ pkpId: '0xabc' })\n}`
    const result = failed(await sandbox.run(code, {}, capability))
    expect(result.code).toBe('action_threw')
    expect(result.message).toBe('wallet 0xabc is in no group of this action')
    expect(result.stack).toContain('at main (action.js:2:')
    expect(result.stack).not.toContain('svc:')
  })

  it.each([
    ['getPrivateKey("0xabc")', 'getPrivateKey: expected {pkpId: string}'],
    ['getPrivateKey()', 'getPrivateKey: expected {pkpId: string}'],
    ['getSvcActionPublicKey({})', 'getSvcActionPublicKey: expected {ipfsId: string}'],
    ['encrypt({ pkpId: "0x" })', 'encrypt: expected {pkpId: string, message: string}'],
    ['encrypt({ pkpId: "0x", message: new Uint8Array(1) })', 'encrypt: expected {pkpId: string'],
    ['decrypt({ ciphertext: "" })', 'decrypt: expected {pkpId: string, ciphertext: string}'],
    ['getPrivateKey({ pkpId: "x".repeat(257) })', 'pkpId has 257 characters; the limit is 256'],
    [
      `encrypt({ pkpId: "0x", message: "x".repeat(${ENCRYPTED_MESSAGE_MAX_BYTES + 1}) })`,
      'message has 65537 characters; the limit is 65536',
    ],
    [
      `decrypt({ pkpId: "0x", ciphertext: "x".repeat(${CIPHERTEXT_MAX_CHARACTERS + 1}) })`,
      `the limit is ${CIPHERTEXT_MAX_CHARACTERS}`,
    ],
  ])('%s names the invalid input, and no request is sent', async (call, message) => {
    const { asked, capability } = granting()
    const code = `async function main() { await Svc.Actions.${call} }`
    const result = failed(await sandbox.run(code, {}, capability))
    expect(result.message).toContain(message)
    expect(asked).toEqual([])
  })

  it('changing input: reads a getter once, so that the checked value is the requested one', async () => {
    const { asked, capability } = granting()
    const code = `async function main() {
      let times = 0
      const input = { get pkpId() { return times++ === 0 ? '0xone' : 'x'.repeat(1000) } }
      return [await Svc.Actions.getPrivateKey(input), times]
    }`
    const result = returned(await sandbox.run(code, {}, capability))
    expect([JSON.parse(result.value), asked]).toEqual([
      [KEY, 1],
      [{ name: 'getPrivateKey', pkpId: '0xone' }],
    ])
  })

  it('patched built-ins: an action that replaces everything it can requests only permitted operations', async () => {
    const { asked, capability } = granting()
    const code = `
      Object.prototype.toJSON = () => ({ pkpId: 'x'.repeat(1e6) })
      String.prototype.slice = Promise.prototype.then = Map.prototype.set = () => 'evil'
      JSON.stringify = JSON.parse = () => 'evil'; Object.freeze = (x) => x
      const ask = Svc.Actions.getPrivateKey({ pkpId: '0xabc' })
      async function main() { return 1 }`
    await sandbox.run(code, { wallMs: 1000 }, capability)
    expect(asked.every(({ name }) => name === 'getPrivateKey')).toBe(true)
    expect(JSON.stringify(asked).length).toBeLessThan(1000)
    expect(await sandbox.value('const main = () => typeof Svc.Actions.encrypt')).toBe('function')
  })
})

describe('encrypt and decrypt', () => {
  const account = accountOf('account', ['permitted', 'outside'], ['QmAny'])
  const capability = capabilityFor(keyring, 'QmAny', () => ({ account, keyHash: account.hash }))
  const [pkpId, outside] = ['permitted', 'outside'].map((path) => addressOf(account.hash, path))
  const params = JSON.stringify({ pkpId, outside })

  it.each([
    ['text', 'grüße 😀'],
    ['nothing', ''],
    ['NUL and line separators', '\0\u2028\0'],
    ['JSON', '{"__proto__":1}'],
    ['the longest message', 'é'.repeat(ENCRYPTED_MESSAGE_MAX_BYTES / 2)],
  ])('return %s unchanged in the next run', async (_what, message) => {
    const seal = 'const main = ({ pkpId, message }) => Svc.Actions.encrypt({ pkpId, message })'
    const open =
      'const main = ({ pkpId, ciphertext }) => Svc.Actions.decrypt({ pkpId, ciphertext })'
    const run = async (code: string, given: object) =>
      JSON.parse(
        returned(await sandbox.run(code, { params: JSON.stringify(given) }, capability)).value,
      ) as string
    const ciphertext = await run(seal, { pkpId, message })
    expect(ciphertext).toMatch(/^[A-Za-z0-9+/]+=*$/)
    expect(await run(open, { pkpId, ciphertext })).toBe(message)
  })

  it('reject unpermitted or altered input with an error that the action can catch', async () => {
    const code = `async function main({ pkpId, outside }) {
      const said = (promise) => promise.then(() => 'done', (error) => error.message)
      const ciphertext = await Svc.Actions.encrypt({ pkpId, message: 'secret' })
      const altered = ciphertext.slice(0, 40) + (ciphertext[40] === 'A' ? 'B' : 'A') + ciphertext.slice(41)
      return [
        await said(Svc.Actions.encrypt({ pkpId: outside, message: 'x' })),
        await said(Svc.Actions.decrypt({ pkpId, ciphertext: altered })),
        await said(Svc.Actions.decrypt({ pkpId, ciphertext: ciphertext.slice(0, 60) })),
        await said(Svc.Actions.decrypt({ pkpId, ciphertext: 'no base64!' })),
        await said(Svc.Actions.encrypt({ pkpId, message: 'half \\ud83d' })),
      ]
    }`
    const { value } = returned(await sandbox.run(code, { params }, capability))
    expect(JSON.parse(value)).toEqual([
      expect.stringContaining('are not in the same group'),
      expect.stringContaining('was modified, truncated'),
      expect.stringContaining('was modified, truncated'),
      'decrypt: the ciphertext is not the base64 that encrypt returned',
      expect.stringContaining('a lone surrogate'),
    ])
  })

  it('do not leak the encryption key: no response to the sandbox contains it', async () => {
    const heard: string[] = []
    const listening = {
      keyOperation: async (operation: KeyOperation) => {
        const answer = await capability.keyOperation(operation)
        heard.push(answer)
        return answer
      },
    }
    const code = `async function main({ pkpId }) {
      const ciphertext = await Svc.Actions.encrypt({ pkpId, message: 'secret' })
      return Svc.Actions.decrypt({ pkpId, ciphertext })
    }`
    expect(returned(await sandbox.run(code, { params }, listening)).value).toBe('"secret"')
    const [ciphertext = ''] = heard
    const salt = Buffer.from(ciphertext, 'base64').subarray(1, 17)
    const key = Buffer.from(keyring.walletCipher(account.hash, id('permitted')).key(salt))
    expect(heard.length).toBe(2)
    for (const spelling of ['hex', 'base64'] as const)
      expect(heard.join()).not.toContain(key.toString(spelling))
  })
})

describe('the limit of key operations', () => {
  const ask = "Svc.Actions.getPrivateKey({ pkpId: 'x' })"
  const serial = (n: number) =>
    `async function main() { for (let i = 0; i < ${n}; i++) await ${ask}; return 'done' }`
  const parallel = (n: number) =>
    `async function main() { await Promise.all(Array.from({ length: ${n} }, () => ${ask})); return 'done' }`

  it.each([
    ['one after the other', serial],
    ['at once', parallel],
  ])('allows ten operations and rejects the eleventh, requested %s', async (_name, code) => {
    const ten = granting()
    const within = await sandbox.run(code(KEY_OPERATIONS_MAX), {}, ten.capability)
    expect(returned(within).value).toBe('"done"')
    const eleven = granting()
    const beyond = await sandbox.run(code(KEY_OPERATIONS_MAX + 1), {}, eleven.capability)
    expect(failed(beyond).code).toBe('key_operation_limit')
    expect(eleven.asked).toHaveLength(KEY_OPERATIONS_MAX)
  })

  it.each([
    ['getPrivateKey', '{ pkpId: "0xabc" }'],
    ['encrypt', '{ pkpId: "0xabc", message: "" }'],
    ['decrypt', '{ pkpId: "0xabc", ciphertext: "AA==" }'],
    ['signMessage', '{ pkpId: "0xabc", message: "" }'],
    ['signTypedData', '{ pkpId: "0xabc" }'],
    ['signTransaction', '{ pkpId: "0xabc", transaction: {} }'],
    ['signDigest', '{ pkpId: "0xabc", digest: Array(32).fill(0) }'],
    ['getSvcActionPrivateKey', ''],
    ['getSvcActionPublicKey', '{ ipfsId: "Qm" }'],
    ['getSvcActionWalletAddress', '{ ipfsId: "Qm" }'],
    ['getTraceparent', ''],
  ])('counts %s before the work is done, even if it is rejected', async (name, input) => {
    let asked = 0
    const capability = {
      keyOperation: () => {
        asked++
        return Promise.reject(new Error('no'))
      },
    }
    const code = `async function main() {
      const codes = []
      for (let i = 0; i < 12; i++) {
        await Svc.Actions.${name}(${input}).catch((e) => codes.push(e.code ?? 'refused'))
      }
      return codes
    }`
    const { value } = returned(await sandbox.run(code, {}, capability))
    const limit = 'key_operation_limit'
    expect(JSON.parse(value)).toEqual([...Array<string>(10).fill('refused'), limit, limit])
    expect(asked).toBe(10)
  })
})

describe('the key-holding process', () => {
  it.each([
    ['one after the other', false],
    ['at once', true],
  ])(
    'enforces the limit itself, requested %s: an executor that forwards everything gets ten',
    async (_how, atOnce) => {
      const { asked, capability } = granting()
      const gate = new KeyGate(capability)
      const answers: Promise<{ ok: boolean } | undefined>[] = []
      for (let n = 0; n <= KEY_OPERATIONS_MAX; n++) {
        const answer = gate.request({ name: 'encrypt', pkpId: '0xabc', message: '' })
        answers.push(answer)
        if (!atOnce) await answer
      }
      const granted = (await Promise.all(answers)).map((answer) => answer?.ok)
      expect(granted).toEqual([...Array<boolean>(KEY_OPERATIONS_MAX).fill(true), false])
      expect(asked).toHaveLength(KEY_OPERATIONS_MAX)
      expect(gate.isFlooded()).toBe(false)
      await gate.request({ name: 'getSvcActionPrivateKey' })
      expect(gate.isFlooded()).toBe(true)
    },
  )

  it('counts before the work: rejects an eleventh while the first ten are in flight', async () => {
    const never = new Promise<string>(() => {})
    const gate = new KeyGate({ keyOperation: () => never })
    for (let n = 0; n < KEY_OPERATIONS_MAX; n++)
      void gate.request({ name: 'getSvcActionPrivateKey' })
    expect(await gate.request({ name: 'getSvcActionPrivateKey' })).toMatchObject({
      ok: false,
      code: 'key_operation_limit',
    })
  })

  it.each([
    ['an id beyond its limit', { name: 'getPrivateKey', pkpId: 'x'.repeat(257) }],
    ['a message beyond its limit', { name: 'encrypt', pkpId: 'x', message: 'x'.repeat(65_537) }],
    ['an empty id', { name: 'decrypt', pkpId: '', ciphertext: 'x' }],
    ['a field too many', { name: 'encrypt', pkpId: 'x', message: 'x', account: 'other' }],
    ['a message that is no text', { name: 'encrypt', pkpId: 'x', message: { length: 1 } }],
  ])('does not trust an executor that requests %s', (_what, operation) => {
    const asked = { type: 'waits', token: 't', operations: [{ id: 1, operation }], computedMs: 1 }
    expect(parseExecutorMessage(asked)).toBeUndefined()
  })
})

it('a flood of key operations stays inside the sandbox', async () => {
  let asked = 0
  const capability = { keyOperation: () => Promise.resolve(String(asked++)) }
  const ask = "Svc.Actions.getPrivateKey({ pkpId: 'x' }).then(() => 'got', (e) => e.code)"
  const code = `async function main() {
    const answers = await Promise.all(Array.from({ length: 5000 }, () => ${ask}))
    return answers.filter((answer) => answer === 'key_operation_limit').length
  }`
  const result = returned(await sandbox.run(code, {}, capability))
  expect([result.value, asked]).toEqual(['4990', 10])
})

describe('a capability', () => {
  it('cannot be rerouted or observed through Object.prototype', async () => {
    const { asked, capability } = granting()
    const code = `
      const seen = []
      Object.defineProperty(Object.prototype, 'toJSON', { get() { seen.push(this); return () => ({ pkpId: 'another' }) } })
      Object.defineProperty(Object.prototype, 'then', { get() { seen.push(this) } })
      async function main() {
        const key = await Svc.Actions.getPrivateKey({ pkpId: 'mine' })
        return String(key.length) + ' ' + seen.some((it) => it.pkpId === 'mine' || it.value === key)
      }`
    const { value } = returned(await sandbox.run(code, {}, capability))
    expect(value).toBe(JSON.stringify(`${KEY.length} false`))
    expect(asked).toEqual([{ name: 'getPrivateKey', pkpId: 'mine' }])
  })

  it('expires with its run', async () => {
    const late = Promise.withResolvers<string>()
    let asked = 0
    const capability = {
      keyOperation: () => {
        asked++
        return late.promise
      },
    }
    const ask = "Svc.Actions.getPrivateKey({ pkpId: 'x' })"
    const code = `async function main() { ${ask}; await new Promise((done) => setTimeout(done, 1)); return 1 }`
    const leaves = await sandbox.run(code, {}, capability)
    expect(returned(leaves).value).toBe('1')
    const other = granting()
    const next = sandbox.run(`async function main() { return ${ask} }`, {}, other.capability)
    late.resolve('the key of the run before')
    expect(returned(await next).value).toBe(JSON.stringify(KEY))
    expect([asked, other.asked.length]).toEqual([1, 1])
  })

  it('does not respond after it is shut, and each has its own token', async () => {
    const { asked, capability } = granting()
    const gate = new KeyGate(capability)
    gate.close()
    expect(await gate.request({ name: 'getSvcActionPrivateKey' })).toBeUndefined()
    expect(asked).toEqual([])
    const slow = Promise.withResolvers<string>()
    const open = new KeyGate({ keyOperation: () => slow.promise })
    const answer = open.request({ name: 'getSvcActionPrivateKey' })
    open.close()
    slow.resolve(KEY)
    expect(await answer).toBeUndefined()
    expect(open.token).not.toBe(gate.token)
    expect(open.token.length).toBeGreaterThanOrEqual(22)
  })
})
