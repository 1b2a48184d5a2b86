import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

describe('crypto.getRandomValues', () => {
  it('fills every kind of integer array, and only the part covered by the view', async () => {
    const code = `const main = () => {
      const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
        Uint32Array, BigInt64Array, BigUint64Array]
      return kinds.map((Kind) => {
        const whole = new Uint8Array(96)
        const part = new Kind(whole.buffer, 32, 32 / Kind.BYTES_PER_ELEMENT)
        const same = crypto.getRandomValues(part) === part
        const filled = (from, to) => whole.subarray(from, to).some((byte) => byte !== 0)
        return same && !filled(0, 32) && filled(32, 64) && !filled(64, 96)
      })
    }`
    expect(await sandbox.value(code)).toEqual(Array(9).fill(true))
  })

  it('never returns the same value twice, within a run or across runs', async () => {
    const code = `const main = () => Array.from({ length: 500 }, () =>
      String(crypto.getRandomValues(new Uint8Array(16))))`
    const first = (await sandbox.value(code)) as string[]
    const second = (await sandbox.value(code)) as string[]
    expect(new Set([...first, ...second]).size).toBe(1000)
  })

  it('rejects the same values as Node, with the same error names', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5, 6, 7, 8], (kind) => {
      const values: unknown[] = [
        new Float32Array(1),
        new Float64Array(1),
        new DataView(new ArrayBuffer(8)),
        new Uint8Array(65_536),
        new Uint8Array(65_537),
        new Uint32Array(16_385),
        new ArrayBuffer(8),
        [1, 2],
        undefined,
      ]
      try {
        return crypto.getRandomValues(values[kind] as Uint8Array).byteLength
      } catch (error) {
        // For a value that is not a view, Node throws a TypeError, but the standard requires a TypeMismatchError.
        return kind > 5 ? 'refused' : [(error as Error).name, error instanceof DOMException]
      }
    }))
})

it('crypto.randomUUID returns unique UUIDs of version 4', async () => {
  const code = 'const main = () => Array.from({ length: 300 }, () => crypto.randomUUID())'
  const ids = (await sandbox.value(code)) as string[]
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(ids.filter((id) => !pattern.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(300)
})

describe('crypto.subtle.digest', () => {
  it("equals Node's digest of any bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(255), { maxLength: 300 }), { minLength: 20, maxLength: 40 }),
        (inputs) =>
          sameAsNode(sandbox, inputs, async (bytes) => {
            const digests: number[][] = []
            for (const name of ['SHA-1', 'sha-256', 'SHA-384', 'sha-512']) {
              const buffer = await crypto.subtle.digest({ name }, new Uint8Array(bytes))
              digests.push([...new Uint8Array(buffer)])
            }
            return digests
          }),
      ),
      { numRuns: 3 },
    ))

  it('accepts any view or buffer, and reads it at the time of the call', async () => {
    const code = `async function main() {
      const whole = new TextEncoder().encode('..abc..')
      const part = whole.subarray(2, 5)
      const waiting = crypto.subtle.digest('SHA-256', part)
      part.fill(0)
      const hex = (buffer) => [...new Uint8Array(buffer)].map((x) => x.toString(16).padStart(2, '0')).join('')
      const abc = new TextEncoder().encode('abc')
      return [waiting, crypto.subtle.digest('SHA-256', new DataView(abc.buffer)), crypto.subtle.digest('SHA-256', abc.buffer)]
        .reduce(async (list, next) => [...await list, hex(await next)], [])
    }`
    const abc = createHash('sha256').update('abc').digest('hex')
    expect(await sandbox.value(code)).toEqual([abc, abc, abc])
  })

  it('rejects unknown algorithms and invalid data', async () => {
    const code = `async function main() {
      const seen = []
      for (const [name, data] of [['MD5', new Uint8Array(1)], ['constructor', new Uint8Array(1)], ['SHA-256', 'text']]) {
        await crypto.subtle.digest(name, data).catch((error) => seen.push(error.name))
      }
      return seen
    }`
    const names = ['NotSupportedError', 'NotSupportedError', 'TypeError']
    expect(await sandbox.value(code)).toEqual(names)
  })

  it('of a part of a large buffer does not allocate a second large buffer', async () => {
    const code = `async function main() {
      const large = new Uint8Array(40 * 1024 * 1024)
      let last
      for (let at = 0; at < 20; at++) last = await crypto.subtle.digest('SHA-256', large.subarray(at, at + 32))
      return new Uint8Array(last)[0]
    }`
    const [first] = createHash('sha256').update(Buffer.alloc(32)).digest()
    expect(await sandbox.value(code)).toBe(first)
  })
})
