import { describe, expect, it } from 'vitest'
import { failed, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

/** Every global that is not part of the language. */
const OF_THE_WEB = [
  'AbortController AbortSignal CryptoKey DOMException Event EventTarget Headers Performance Request Response Svc',
  'TextDecoder TextEncoder URL URLSearchParams atob btoa clearInterval clearTimeout console crypto ethers fetch performance',
  'queueMicrotask setInterval setTimeout structuredClone',
].flatMap((line) => line.split(' '))

/** Globals of the language or engine that Node does not have. */
const OF_THE_ENGINE = ['InternalError', 'Float16Array']

describe('the globals', () => {
  it('are the globals of the language and the documented web globals, and no others', async () => {
    const names = (await sandbox.value(
      'const main = () => Object.getOwnPropertyNames(globalThis)',
    )) as string[]
    const ofNode = new Set(Object.getOwnPropertyNames(globalThis))
    const known = (name: string) =>
      OF_THE_WEB.includes(name) || OF_THE_ENGINE.includes(name) || ofNode.has(name)
    expect(names.filter((name) => !known(name))).toEqual([])
    expect(OF_THE_WEB.filter((name) => !names.includes(name))).toEqual([])
  })

  it.each([
    'process',
    'require',
    'Buffer',
    'WebAssembly',
    'module',
    'global',
    'import.meta',
    'Deno',
    'std',
    'os',
  ])('do not include %s', async (name) => {
    const code = name.includes('.')
      ? `const main = () => { try { return eval('${name}') } catch { return 'undefined' } }`
      : `const main = () => typeof ${name}`
    expect(await sandbox.value(code)).toBe('undefined')
  })

  it('are not enumerable, except the ones that an action adds', async () => {
    const code =
      'globalThis.mine = 1; const main = () => Object.keys(globalThis).filter((name) => name !== "ethers")'
    expect(await sandbox.value(code)).toEqual(['mine'])
  })
})

describe('the classes', () => {
  const CLASSES = OF_THE_WEB.filter((name) => /^[A-Z]/.test(name) && name !== 'Svc')

  it.each(CLASSES)('%s has the name, length, tag and members of its standard', async (name) => {
    const code = `const main = ({ name }) => {
      const Class = globalThis[name]
      const { prototype } = Class
      let called
      try { Class() } catch (error) { called = error.name }
      const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)
      return { name: Class.name, length: Class.length, called, tag: prototype[Symbol.toStringTag],
        members: Object.keys(prototype), enumerable: descriptor.enumerable }
    }`
    const read = (await sandbox.value(code, { name })) as Record<string, unknown> & {
      members: string[]
    }
    const Oracle = (
      globalThis as unknown as Record<string, { name: string; length: number; prototype: object }>
    )[name]!
    expect(read).toMatchObject({ name, called: 'TypeError', tag: name, enumerable: false })
    expect(read['length']).toBe(Oracle.length)
    const known = new Set<string>()
    for (const key in Oracle.prototype) known.add(key)
    for (const key of Object.getOwnPropertyNames(Oracle.prototype)) known.add(key)
    expect(read.members.filter((key) => !known.has(key))).toEqual([])
  })

  it.each(CLASSES)('%s rejects a receiver of another class', async (name) => {
    const code = `const main = async ({ name }) => {
      const { prototype } = globalThis[name]
      const wrong = []
      for (const key of Object.keys(prototype)) {
        const { get, set, value } = Object.getOwnPropertyDescriptor(prototype, key)
        for (const member of [get, set, value]) {
          if (typeof member !== 'function') continue
          for (const self of [{}, undefined, Object.create(prototype), prototype]) {
            try { await member.call(self, 'a', 'b'); wrong.push(key) } catch (error) {
              if (!(error instanceof TypeError)) wrong.push(key + ' ' + error)
            }
          }
        }
      }
      return wrong
    }`
    expect(await sandbox.value(code, { name })).toEqual([])
  })
})

describe('Svc', () => {
  it('is immutable, including its operations', async () => {
    const code = `const main = () => {
      'use strict'
      const { Svc: before } = globalThis
      const attempts = [
        () => { globalThis.Svc = 1 }, () => { Svc.Actions = 1 }, () => { Svc.Actions.getPrivateKey = 1 },
        () => { Svc.more = 1 }, () => { delete globalThis.Svc }, () => { delete Svc.Actions.getPrivateKey },
        () => Object.defineProperty(globalThis, 'Svc', { value: 1 }),
        () => Object.setPrototypeOf(Svc.Actions, {}), () => Object.defineProperty(Svc, 'Actions', { get() {} }),
      ]
      const passed = attempts.filter((attempt) => { try { attempt(); return true } catch (e) { return !(e instanceof TypeError) } })
      return [passed.length, globalThis.Svc === before, typeof Svc.Actions.getPrivateKey]
    }`
    expect(await sandbox.value(code)).toEqual([0, true, 'function'])
  })

  it.each([
    ['const', 'const Svc = { Actions: {} }'],
    ['let', 'let Svc = 1'],
    ['class', 'class Svc {}'],
    ['function', 'function Svc() {}'],
  ])(
    'cannot be redeclared by a %s of an action: that is an error, not a shadow',
    async (_kind, statement) => {
      const result = failed(
        await sandbox.run(`${statement}\nasync function main() { return typeof Svc.Actions }`),
      )
      expect(result).toMatchObject({ code: 'action_threw', logs: [] })
      expect(result.stack).toMatch(/^(SyntaxError|TypeError): /)
    },
  )

  it('survives a var of that name, or an assignment in sloppy mode', async () => {
    const code = `var Svc; Svc = 5; globalThis.Svc = 6
      const main = () => typeof Svc.Actions.getPrivateKey`
    expect(await sandbox.value(code)).toBe('function')
  })
})

describe('evaluated code', () => {
  it.each([
    ['eval', 'eval("this")'],
    ['indirect eval', '(0, eval)("this")'],
    ['Function', 'Function("return this")()'],
    ['the constructor of a function of ours', 'fetch.constructor("return this")()'],
    [
      'the constructor of an operation',
      'Svc.Actions.getPrivateKey.constructor("return globalThis")()',
    ],
    ['a generator', '(function* () {}).constructor("yield this")().next().value'],
  ])('by %s reaches only the globals of the action', async (_name, expression) => {
    const code = `const main = async () => {
      const found = await (${expression})
      return found === globalThis
    }`
    expect(await sandbox.value(code)).toBe(true)
  })

  it('cannot import, not even parts of the prelude', async () => {
    const code = `const main = async () => {
      const seen = []
      for (const name of ['fs', 'node:fs', 'std', 'os', 'svc:fetch.js', './fetch.js', 'ethers.js', 'action.js']) {
        await import(name).then(() => seen.push(name), () => {})
      }
      return seen
    }`
    expect(await sandbox.value(code)).toEqual([])
  })
})
