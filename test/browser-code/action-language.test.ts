import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { collectDeclarations } from '../../edge/browser/collect-declarations.ts'
import { TEMPLATES } from '../../edge/browser/console/actions/templates.ts'
import { LanguageService } from '../../edge/browser/language/language-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { paths, imports } = collectDeclarations(root)
const files = Object.entries(paths).map(([name, path]) => [name, readFileSync(path, 'utf8')])
const service = new LanguageService({ files: Object.fromEntries(files), imports })

/** Each problem as its source text and its message. */
const problems = (source: string) =>
  service.check(source).map(({ from, to, text }) => `${source.slice(from, to)}: ${text}`)

/** Completes at the first `|`. */
function completed(marked: string): string[] {
  const found = service.complete(marked.replace('|', ''), marked.indexOf('|'))
  return found ? found.names.map(({ name }) => name) : []
}

describe('completions', () => {
  it('offers the functions of the runtime, and the members of what they return', () => {
    expect(completed('Svc.|')).toEqual(['Actions'])
    expect(completed('Svc.Actions.|')).toEqual(
      expect.arrayContaining(['decrypt', 'sendTransaction', 'wallet']),
    )
    expect(completed('Svc.Actions.wallet({ pkpId: "0x" }).|')).toContain('signMessage')
    expect(completed('Svc.Actions.sendTransaction({ | })')).toContain('idempotencyKey')
    expect(completed('Svc.Actions.sendTransaction({ speed: "|" })')).toEqual([
      'fast',
      'normal',
      'cheap',
    ])
    expect(completed('ethers.utils.|')).toContain('parseEther')
  })

  it('offers what the sandbox has, and not what browsers and Node have in addition', () => {
    const names = completed('|')
    expect(names).toEqual(expect.arrayContaining(['Svc', 'ethers', 'fetch', 'console', 'crypto']))
    for (const missing of ['process', 'Buffer', 'document', 'window', 'localStorage', 'WebSocket'])
      expect(names).not.toContain(missing)
  })

  it('sorts names of the action before globals', () => {
    const found = service.complete('const total = 1\nto', 18)
    expect(found).toMatchObject({ from: 16 })
    const less = new Map(found?.names.map(({ name, isLessLikely }) => [name, isLessLikely]))
    expect([less.get('total'), less.get('ethers'), less.get('typeof')]).toEqual([
      undefined,
      true,
      true,
    ])
  })

  it('offers nothing in comments and texts', () => {
    expect(completed('// Svc.|')).toEqual([])
    expect(completed('"Svc.|"')).toEqual([])
  })

  it('explains names with their types and documentation', () => {
    expect(service.explain('Svc.Actions.', 12, 'sendTransaction')).toEqual({
      declaration: '(method) sendTransaction(input: TransactionToSend): Promise<Transaction>',
      documentation: expect.stringContaining('Queues a transaction'),
    })
    const source = 'const wei = ethers.utils.parseEther("1")'
    const at = source.indexOf('parseEther')
    expect(service.hover(source, at + 2)).toMatchObject({
      from: at,
      to: at + 10,
      declaration: expect.stringContaining('parseEther(ether: string): ethers.BigNumber'),
    })
    expect(service.hover(source, 11)).toBeNull()
  })
})

describe('problems', () => {
  it.each([
    ['process.env.KEY', 'process: `process` does not exist in actions.'],
    ['new Buffer(1)', 'Buffer: `Buffer` does not exist in actions.'],
    ['document.title', 'document: `document` does not exist in actions.'],
    ['Intl.NumberFormat()', 'Intl: `Intl` does not exist in actions.'],
    ['consol.log(1)', 'consol: `consol` does not exist in actions. Did you mean `console`?'],
    [
      'const fs = require("fs")',
      'require: `require` does not exist in actions. `svc build` bundles modules into a script.',
    ],
    [
      'export const main = () => 1',
      'export: An action is a script, so `import` and `export` are errors. `svc build` bundles modules into a script.',
    ],
    ['Svc.Actions.walet({})', 'walet: `Svc.Actions` has no member `walet`. Did you mean `wallet`?'],
    ['const { walet } = Svc.Actions', 'walet: `Svc.Actions` has no member `walet`.'],
    ['ethers.Walet', 'Walet: `ethers` has no member `Walet`. Did you mean `Wallet`?'],
    ['crypto.subtle.encrypt()', 'encrypt: `crypto.subtle` has no member `encrypt`.'],
    [
      'async function main() { const response = fetch("x"); return response.json() }',
      'json: `response` has no member `json`. Did you forget `await`?',
    ],
    ['Svc.Actions.wallet()', 'wallet: Expected 1 arguments, but got 0.'],
    [
      'Svc.Actions.wallet({ pkpId: 5 })',
      "pkpId: Type 'number' is not assignable to type 'string'.",
    ],
    [
      'Svc.Actions.wallet({ pkpid: "0x" })',
      "pkpid: Object literal may only specify known properties, but 'pkpid' does not exist in type '{ pkpId: string; }'. Did you mean to write 'pkpId'?",
    ],
    ['const a = 1\na = 2', "a: Cannot assign to 'a' because it is a constant."],
    ['Svc.Actions = 3', "Actions: Cannot assign to 'Actions' because it is a read-only property."],
    [
      'function main() { await fetch("x") }',
      'await: `await` is allowed only in `async` functions, such as `async function main()`.',
    ],
    ['let x: number = 1', 'number: Type annotations can only be used in TypeScript files.'],
    ['function main( {', ": '}' expected."],
  ])('%s', (source, expected) => {
    expect(problems(source)).toEqual([expected])
  })

  it('reports nothing that may work at run time', () => {
    const sources = [
      'const main = async ({ wallet, amount }) => wallet.path.of(amount)',
      'const error = new Error("x"); error.code = "late"; const main = () => error.code',
      'const result = {}; result.total = 1; const main = () => result.total',
      'class Account { constructor() { this.id = 1 } }\nconst main = () => new Account().name',
      'let found = ""; found = 5; const main = () => found.toFixed(2)',
      'const main = () => new Date() - new Date(0) + "5" * 2 + Math.max("1", 2)',
      'const main = async () => (await (await fetch("https://x")).json()).price * 3',
      'const main = () => { try { return 1 } catch (error) { return error.code } }',
      'const tx = { type: 2, nonce: 0 }; const main = ({ w }) => Svc.Actions.signTransaction({ pkpId: w, transaction: tx })',
      'const options = { speed: "fast" }; const main = (p) => Svc.Actions.sendTransaction({ pkpId: p.w, chain: "base", to: p.to, speed: options.speed })',
      'const main = () => typeof process === "undefined" ? 1 : process.pid',
      'const list = [1]; list.push("text"); const main = () => list',
      'function add(a, b) { return a + b } const main = () => add(1) + add(1, 2, 3)',
      '/** @param {Unknown} x */ function main(x) { return x }',
      'const token = new ethers.Contract("0x", [], null); const main = () => token.transfer("0x", 1)',
      'const headers = { accept: "text/plain" }; const main = () => fetch("https://x", { method: "POST", headers })',
      'const main = () => fetch("https://x", { headers: new Headers({ "x-n": 1 }) })',
      'const main = () => new URL("https://x").searchParams.set("n", 1)',
      'const main = () => fetch("https://x", { headers: { "x-n": 1, "x-b": true } })',
      'const main = () => Object.groupBy([1, 2], (one) => String(one))',
      'const formats = { Intl: 1 }; const main = () => formats.Intl',
      'function fetch() {} const main = () => fetch()',
    ]
    expect(sources.flatMap(problems)).toEqual([])
  })

  it('reports nothing in the templates of the console and the examples of docs/actions.md', () => {
    const page = readFileSync(new URL('../../docs/actions.md', import.meta.url), 'utf8')
    const examples = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code!)
    expect(examples.length).toBeGreaterThan(10)
    const sources = [...examples, ...TEMPLATES.map(({ source }) => source)]
    expect(sources.flatMap(problems)).toEqual([])
  })

  it('checks each change of the source anew', () => {
    expect(problems('Svc.Action')).toHaveLength(1)
    expect(problems('Svc.Actions')).toEqual([])
    expect(problems('Svc.Action')).toHaveLength(1)
  })
})
