import { verifyMessage, Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { KeyGate } from '../../../origin/actions/pool/key-gate.ts'
import type { Capability, KeyOperation } from '../../../origin/actions/run.ts'
import { KEY_OPERATIONS_MAX } from '../../../shared/limits.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const KEY = `0x${'7b'.repeat(32)}`

/** Grants KEY for everything and remembers what was asked. */
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
  it('signs with a wallet of ethers v5 what ethers v6 recovers', async () => {
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

  it('passes each operation on with its input', async () => {
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

  it('is frozen', async () => {
    const code = `'use strict'; async function main() {
      const tries = [() => { Svc.Actions.getPrivateKey = 1 }, () => { Svc.Actions = 1 }, () => { Svc = 1 }]
      return tries.map((attempt) => { try { attempt(); return 'changed' } catch (e) { return e.name } })
    }`
    expect(await sandbox.value(code)).toEqual(['TypeError', 'TypeError', 'TypeError'])
  })

  it('refuses with the message of the process that holds the keys, at the line that asked', async () => {
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

  it('names the field that is missing', async () => {
    const { asked, capability } = granting()
    const code = 'async function main() { await Svc.Actions.getPrivateKey("0xabc") }'
    const result = failed(await sandbox.run(code, {}, capability))
    expect(result.message).toBe('Svc.Actions.getPrivateKey: expected {pkpId: string}')
    expect(asked).toEqual([])
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
  ])('lets ten through and refuses the eleventh, asked %s', async (_name, code) => {
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
    ['getSvcActionPrivateKey', ''],
    ['getSvcActionPublicKey', '{ ipfsId: "Qm" }'],
    ['getSvcActionWalletAddress', '{ ipfsId: "Qm" }'],
  ])('counts %s, refused or not, before the work is done', async (name, input) => {
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
  it('does not outlive its run', async () => {
    const late = Promise.withResolvers<string>()
    let asked = 0
    const capability = {
      keyOperation: () => {
        asked++
        return late.promise
      },
    }
    const ask = "Svc.Actions.getPrivateKey({ pkpId: 'x' })"
    const leaves = await sandbox.run(`async function main() { ${ask}; return 1 }`, {}, capability)
    expect(returned(leaves).value).toBe('1')
    const other = granting()
    const next = sandbox.run(`async function main() { return ${ask} }`, {}, other.capability)
    late.resolve('the key of the run before')
    expect(returned(await next).value).toBe(JSON.stringify(KEY))
    expect([asked, other.asked.length]).toEqual([1, 1])
  })

  it('answers nothing once shut, and each has a token of its own', async () => {
    const { asked, capability } = granting()
    const gate = new KeyGate(capability)
    gate.shut()
    expect(await gate.ask({ name: 'getSvcActionPrivateKey' })).toBeUndefined()
    expect(asked).toEqual([])
    const slow = Promise.withResolvers<string>()
    const open = new KeyGate({ keyOperation: () => slow.promise })
    const answer = open.ask({ name: 'getSvcActionPrivateKey' })
    open.shut()
    slow.resolve(KEY)
    expect(await answer).toBeUndefined()
    expect(open.token).not.toBe(gate.token)
    expect(open.token.length).toBeGreaterThanOrEqual(22)
  })
})
