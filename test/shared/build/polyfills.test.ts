import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { POLYFILLED_MODULES } from '../../../shared/build/polyfills.ts'
import { embedPolyfills } from '../../../shared/packaging/embed-polyfills.ts'
import { sharedPool } from '../../origin/actions/sandbox.ts'
import { built, installed, refusal } from './project.ts'

const pool = sharedPool()

/** Runs the body of `main`, after the imports. */
async function run(imports: string, body: string): Promise<unknown> {
  const { code } = await built({
    'src/action.ts': `${imports}\nexport async function main() { ${body} }`,
  })
  return pool.value(code)
}

describe('modules of Node in an action', () => {
  it.each([
    [
      'assert',
      `import assert, { strictEqual } from 'node:assert'`,
      `try { assert(true); strictEqual(1, 2) } catch (error) { return error.code }`,
      'ERR_ASSERTION',
    ],
    [
      'buffer',
      `import { Buffer } from 'buffer'`,
      `return Buffer.from('ü').toString('base64')`,
      'w7w=',
    ],
    [
      'events',
      `import EventEmitter from 'events'`,
      `const e = new EventEmitter(); const got = []; e.once('x', (v) => got.push(v)); e.on('x', (v) => got.push(-v)); e.emit('x', 1); e.emit('x', 2); return [got, e.listenerCount('x'), e.emit('y')]`,
      [[1, -1, -2], 1, false],
    ],
    [
      'process',
      `import process from 'node:process'`,
      `return [process.env.HOME ?? null, process.cwd()]`,
      [null, '/'],
    ],
    [
      'timers',
      `import { setImmediate } from 'timers'`,
      `return await new Promise((done) => setImmediate(done, 5))`,
      5,
    ],
    [
      'url',
      `import { URL } from 'node:url'`,
      `return new URL('/b', 'https://a.example').href`,
      'https://a.example/b',
    ],
    [
      'util',
      `import { promisify, format } from 'util'`,
      `return [await promisify((a, done) => done(null, a))(1), format('%s %d%%', 'a', '2', { b: 1n })]`,
      [1, 'a 2% {"b":"1n"}'],
    ],
  ])('%s', async (_module, imports, body, expected) => {
    expect(await run(imports, body)).toEqual(expected)
  })

  it('crypto has the same digests as in Node', async () => {
    const ours = await run(
      `import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'`,
      `const digest = createHmac('sha256', 'key').update('a').update(Buffer.from('ü')).digest()
      return [createHash('sha512').update('abc').digest('hex'), digest.toString('base64'), randomBytes(70000).length, timingSafeEqual(digest, Uint8Array.from(digest))]`,
    )
    expect(ours).toEqual([
      createHash('sha512').update('abc').digest('hex'),
      createHmac('sha256', 'key').update('aü').digest('base64'),
      70_000,
      true,
    ])
  })

  it('can be required by CommonJS packages, which also inherit from EventEmitter', async () => {
    const { code } = await built({
      'src/action.ts': `import one from 'one'\nexport const main = () => one()`,
      ...installed('one', {
        'index.js': `const EventEmitter = require('events')
const { inherits } = require('util')
function Queue() { EventEmitter.call(this) }
inherits(Queue, EventEmitter)
module.exports = () => { let got; const queue = new Queue(); queue.on('x', (v) => (got = v)); queue.emit('x', 3); return got }`,
      }),
    })
    expect(await pool.value(code)).toBe(3)
  })

  it('are replaced by packages of the same name that the importer declares', async () => {
    const events = installed('events', { 'index.js': 'module.exports = "the package"' })
    const source = `import events from 'events'\nexport const main = () => typeof events`
    const declared = { 'package.json': '{"dependencies":{"events":"1"}}' }
    const { code } = await built({ 'src/action.ts': source, ...events, ...declared })
    expect(await pool.value(code)).toBe('string')
    // The package may be there only because another package depends on it, which is up to the package manager.
    const undeclared = await built({ 'src/action.ts': source, ...events })
    expect(await pool.value(undeclared.code)).toBe('function')
  })

  it('are refused if a name that actions do not have is imported', async () => {
    const source = `import { createCipheriv } from 'node:crypto'\nexport const main = () => createCipheriv`
    expect(await refusal({ 'src/action.ts': source })).toContain(
      '`createCipheriv` of node:crypto is not available in actions',
    )
  })

  it('are the same in the packaged command line', async () => {
    const { plugin } = await embedPolyfills()
    let contents = ''
    await plugin.setup({
      onLoad: (_: unknown, load: () => { contents: string }) => (contents = load().contents),
    } as never)
    const { polyfillSource } = await import(`data:text/javascript,${encodeURIComponent(contents)}`)
    const sources = POLYFILLED_MODULES.map((name) => polyfillSource(name))
    expect(sources.join()).not.toMatch(/node_modules|undefined,/)
    expect(sources.join()).toContain('npm:buffer@')
  })
})

describe('globals that actions do not have', () => {
  it('Buffer, process, self and setImmediate are provided if the code needs them', async () => {
    const body = `setImmediate(() => 0); return [Buffer.from('a').length, process.version, self.Date === Date]`
    expect(await run('', body)).toEqual([1, '', true])
  })

  it('are not provided to a package that checks whether they exist', async () => {
    const { code, warnings, sizes } = await built({
      'src/action.ts': `import one from 'one'\nexport const main = () => one`,
      ...installed('one', {
        'index.js': `module.exports = typeof Buffer === 'undefined' ? 'none' : Buffer.from('a')`,
      }),
    })
    expect(await pool.value(code)).toBe('none')
    expect({ warnings, sizes: sizes.map(({ name }) => name).toSorted() }).toEqual({
      warnings: [],
      sizes: ['one@1.2.3', 'project'],
    })
  })

  it.each([
    [
      'WebAssembly',
      'return WebAssembly.validate',
      'src/action.ts uses WebAssembly, which actions do not have',
    ],
    [
      'process',
      'return process.env.KEY',
      'src/action.ts uses process; actions have no environment variables, so pass values as params',
    ],
    [
      'import()',
      'return import(String(globalThis.x))',
      'src/action.ts imports modules by names that it computes, which fails in actions',
    ],
    [
      'import.meta',
      'return import.meta.url',
      'src/action.ts:1:39: `import.meta` is empty in actions',
    ],
  ])('%s: the build warns', async (_name, body, warning) => {
    const source = `export async function main() { ${body} }`
    const { warnings } = await built({ 'src/action.ts': source })
    expect(warnings).toEqual([warning])
  })

  it('does not warn of names that are declared, or in text', async () => {
    const source = `const document = 'window WebAssembly'\n// process\nexport const main = (navigator) => [document, navigator, { Intl: 1 }.Intl, navigator instanceof File]`
    expect((await built({ 'src/action.ts': source })).warnings).toEqual([])
  })
})
