import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { sharedPool } from '../actions/sandbox.ts'

/** Returns the names, kinds and arities of everything reachable from `ethers`, three levels deep. */
const OUTLINE = `
function outline(value, depth = 0) {
  if (typeof value === 'function') {
    const own = Object.getOwnPropertyNames(value).filter((key) => !['prototype', 'name', 'length', 'arguments', 'caller'].includes(key))
    const methods = value.prototype ? Object.getOwnPropertyNames(value.prototype) : []
    return ['function', value.name, own.sort(), methods.filter((key) => key !== 'constructor').sort()]
  }
  if (value === null || typeof value !== 'object') return typeof value
  if (depth === 3 || value._isBigNumber || Array.isArray(value)) return 'object'
  const keys = Object.keys(value).filter((key) => key !== '__esModule' && key !== 'default').sort()
  return keys.map((key) => [key, outline(value[key], depth + 1)])
}`

const pool = sharedPool({ min: 1, max: 1 })

test('ethers in the sandbox has every name and class name that it has in Node', async () => {
  const { ethers } = createRequire(import.meta.url)('ethers-v5') as {
    ethers: { providers: object }
  }
  // oxlint-disable-next-line typescript/no-implied-eval -- Node and the sandbox evaluate the same text
  const outline = new Function('ethers', `${OUTLINE}\nreturn outline(ethers)`) as (
    from: unknown,
  ) => unknown
  const inSandbox = await pool.value(
    `${OUTLINE}\nfunction main() { const { ethers: again, ...rest } = ethers; return [outline(again), outline(rest)] }`,
  )
  // IpcProvider needs a file system socket. In the sandbox it is null, as in browsers.
  const inBrowsers = { ...ethers, providers: { ...ethers.providers, IpcProvider: null } }
  const plain = JSON.parse(JSON.stringify(outline(inBrowsers))) as unknown
  expect((inSandbox as unknown[])[0]).toEqual(plain)
  expect((inSandbox as unknown[])[1]).toEqual(plain)
})

test('the host’s functions are not reachable from ethers or from any global', async () => {
  const found = await pool.value(`
    const seen = new Set()
    function reach(value, path, found) {
      if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return found
      seen.add(value)
      for (const key of Reflect.ownKeys(value)) {
        if (['publicKeys', 'keccak256OfHex', 'convertPoint', 'addPoints', 'bytesOfHex', 'asciiBytes'].includes(key)) found.push(path + '.' + String(key))
        let next
        try { next = value[key] } catch { continue }
        reach(next, path + '.' + String(key), found)
      }
      return reach(Object.getPrototypeOf(value), path + '.__proto__', found)
    }
    function main() { return { found: reach(globalThis, '', []), seen: seen.size > 500 } }`)
  expect(found).toEqual({ found: [], seen: true })
})
