import { expect } from 'vitest'
import type { ActionResult } from '../../../origin/actions/run.ts'
import { returned } from '../actions/sandbox.ts'

/**
 * Lists everything an action can observe of its sandbox: every property of every object reachable from the globals,
 * with its attributes, and the values of the prelude's counters and of ethers. Two fresh sandboxes agree in every line.
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

/** `WHOLE_PROBE` covers everything reachable. `NAMES_PROBE` covers only the global names, and is many times faster. */
export const WHOLE_PROBE = JSON.stringify({ whole: true })
export const NAMES_PROBE = JSON.stringify({ whole: false })

/** Returns the lines of a probe. A difference from a clean sandbox was left behind by an earlier run. */
export function probedLines(result: ActionResult): string[] {
  const { value, logs } = returned(result)
  expect(logs.map(({ text }) => text)).toEqual(['probed'])
  return (JSON.parse(value) as { lines: string[] }).lines
}
