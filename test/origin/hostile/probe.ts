import { expect } from 'vitest'
import type { RunResult } from '../../../origin/actions/run.ts'
import { returned } from '../actions/sandbox.ts'

/**
 * What an action can see of its sandbox: every property of every object that can be reached from the globals, with its
 * attributes; and what the prelude's counters and ethers answer. Two fresh sandboxes agree in every line of it.
 */
export const PROBE = `
const paths = new Map(), lines = [], waiting = []
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

const show = (path, value) => {
  if (typeof value === 'symbol') return value.toString()
  if (!isObject(value)) return typeof value + ' ' + String(value)
  if (!paths.has(value)) { paths.set(value, path); waiting.push(value) }
  return typeof value + ' ' + paths.get(value)
}

const look = (object) => {
  const path = paths.get(object)
  const shape = typeof object === 'function' ? Function.prototype.toString.call(object).length : Object.prototype.toString.call(object)
  lines.push(path + ' ' + shape + (Object.isExtensible(object) ? '' : ' closed') + ' < ' + show(path + '^', Object.getPrototypeOf(object)))
  for (const key of Reflect.ownKeys(object)) {
    if (object === globalThis && key === 'main') continue
    const { value, get, set, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(object, key)
    const at = path + '.' + String(key)
    const held = get || set ? show(at + '<', get) + ' ' + show(at + '>', set) : show(at, value)
    lines.push(at + ' ' + (writable ? 'w' : '') + (enumerable ? 'e' : '') + (configurable ? 'c' : '') + ' ' + held)
  }
}

async function main({ whole }) {
  show('globalThis', globalThis)
  do look(waiting.shift()); while (whole && waiting.length > 0)
  const timer = setTimeout(() => {}, 0)
  await new Promise((done) => setTimeout(done, 0))
  console.log('probed')
  const signature = await new ethers.Wallet('0x' + '7b'.repeat(32)).signMessage('probed')
  lines.push(typeof timer === 'number' ? 'timer ' + timer : 'timer', signature)
  const random = [Math.random(), ethers.utils.hexlify(crypto.getRandomValues(new Uint8Array(8)))]
  return { lines, random }
}
`

/** Everything that can be reached; or, many times faster, the global names alone. */
export const WHOLE_PROBE = JSON.stringify({ whole: true })
export const NAMES_PROBE = JSON.stringify({ whole: false })

/** The lines that a clean sandbox shows; what a run before has left behind is the difference. */
export function probedLines(result: RunResult): string[] {
  const { value, logs } = returned(result)
  expect(logs.map(({ text }) => text)).toEqual(['probed'])
  return (JSON.parse(value) as { lines: string[] }).lines
}
