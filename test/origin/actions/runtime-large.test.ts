import { describe, expect, it } from 'vitest'
import { returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
/** Returns the executors that ended, except those the pool replaced because of memory left by a large run. */
const ended = () =>
  sandbox.events.filter((event) => event.type === 'executor_ended' && event.reason !== 'replaced')

/** Inputs with which an attacker could make the host use much more time or memory than the sandbox does. */
const CASES: [string, string, unknown][] = [
  [
    'bytes that are six times as long in JSON',
    'new TextDecoder().decode(new Uint8Array(4e6)).length',
    4e6,
  ],
  [
    'bytes of one-byte characters',
    'new TextDecoder("latin1").decode(new Uint8Array(1e7)).length',
    1e7,
  ],
  [
    'text that is three times as long in UTF-8',
    'new TextEncoder().encode("€".repeat(4e6)).length',
    12e6,
  ],
  ['base64 of NULs', 'atob("A".repeat(8e6)).length', 6e6],
  ['text for base64', 'btoa("\\0".repeat(3e6)).length', 4e6],
  [
    'a query of one long value',
    'new URLSearchParams("a=" + "%00".repeat(1e6)).get("a").length',
    1e6,
  ],
  ['a query of many pairs', 'new URLSearchParams("&a".repeat(1e5)).size', 1e5],
  ['a host name of other scripts', 'URL.canParse("https://" + "ü".repeat(1e6))', false],
  [
    'a path of other scripts',
    'new URL("https://a.example/" + "ü".repeat(1e6)).href.length',
    6_000_018,
  ],
  ['a URL that is too long', 'URL.canParse("https://a.example/" + "x".repeat(2e7))', false],
  ['a header that is too long to send', 'new Headers({ a: "x".repeat(4e6) }).get("a").length', 4e6],
  [
    'a digest of all memory',
    '(await crypto.subtle.digest("SHA-512", new Uint8Array(25e6))).byteLength',
    64,
  ],
  [
    'a clone of many objects',
    'structuredClone(Array.from({ length: 3e4 }, (_, i) => ({ i }))).length',
    3e4,
  ],
]

describe('a large input', () => {
  it.each(CASES)('%s succeeds in the same executor', async (_name, expression, value) => {
    const result = await sandbox.run(`async function main() { return ${expression} }`)
    expect(JSON.parse(returned(result).value)).toBe(value)
    expect(ended()).toEqual([])
  })

  it.each([
    ['a query of millions of pairs', 'new URLSearchParams("&a".repeat(4e6)).size'],
    ['a text that does not fit twice', 'new TextEncoder().encode("x".repeat(3e7)).length'],
    [
      'bytes whose text does not fit',
      'new TextDecoder("latin1").decode(new Uint8Array(4e7)).length',
    ],
    ['a clone that does not fit', 'structuredClone(new Uint8Array(4e7)).length'],
  ])('%s fails with out_of_memory, in the same executor', async (_name, expression) => {
    const result = await sandbox.run(`async function main() { return ${expression} }`)
    expect(result).toMatchObject({ kind: 'failed', code: 'out_of_memory' })
    expect(ended()).toEqual([])
    expect(await sandbox.value('const main = () => 1')).toBe(1)
  })
})
