import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { executorFiles, sandboxedForkOptions } from '../../../origin/actions/pool/fork.ts'
import { parseExecutorMessage } from '../../../origin/actions/messages.ts'
import { returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })

describe('two runs in one executor', () => {
  it('share no prototype, global or ethers object', async () => {
    const pollute = `
      Object.prototype.polluted = 1; Array.prototype.map = () => 'evil'; JSON.parse = () => 'evil'
      Promise.prototype.then = function () {}; globalThis.left = 1; ethers.utils = {}; var main2 = 1
      String.prototype.slice = () => 'evil'; Date.now = () => 0; globalThis.setTimeout = undefined
      async function main() { return 'polluted' }`
    expect(returned(await sandbox.run(pollute)).value).toBe('"polluted"')
    const look = `async function main() {
      return [typeof {}.polluted, [1].map((x) => x + 1), typeof left, typeof main2, typeof setTimeout,
        ethers.utils.hexlify(1), 'abc'.slice(1), Date.now() > 0, JSON.parse('2')]
    }`
    const clean = ['undefined', [2], 'undefined', 'undefined', 'function', '0x01', 'bc', true, 2]
    expect(await sandbox.value(look)).toEqual(clean)
    expect(sandbox.events.filter(({ type }) => type === 'executor_ready')).toHaveLength(1)
  })

  it('get different random numbers', async () => {
    const code = `async function main() {
      return [Math.random(), ethers.utils.hexlify(crypto.getRandomValues(new Uint8Array(16)))]
    }`
    const values = [await sandbox.value(code), await sandbox.value(code)] as [number, string][]
    expect(new Set(values.flat()).size).toBe(4)
    expect(values[0]?.[1]).toMatch(/^0x[0-9a-f]{32}$/)
  })
})

it('an action sees no Node global and nothing of the prelude', async () => {
  const code = `async function main() {
    const names = ['process', 'require', 'module', 'Buffer', 'host', 'base', 'WebAssembly', 'std', 'os']
    return names.filter((name) => typeof globalThis[name] !== 'undefined')
  }`
  expect(await sandbox.value(code)).toEqual([])
  const imports = `const main = () => import('node:fs').then(() => 'imported', () => 'refused')`
  expect(await sandbox.value(imports)).toBe('refused')
})

/** Simulates code that escaped WebAssembly: runs with an executor's flags and attempts every forbidden access. */
const PROBE = `
  import fs from 'node:fs'; import { spawnSync } from 'node:child_process'; import { Worker } from 'node:worker_threads'
  const [state, root] = JSON.parse(process.argv.at(-1))
  const attempt = (action) => { try { action(); return 'allowed' } catch (error) { return error.code } }
  const attemptAsync = (action) => action().then(() => 'allowed', (error) => error.code)
  console.log(JSON.stringify({
    environment: Object.keys(process.env).sort(),
    'read its bundle': attempt(() => fs.readFileSync(root + '/origin/actions/executor/executor.cjs')),
    'read its source': attempt(() => fs.readFileSync(root + '/origin/actions/executor/executor.ts')),
    'list its folder': attempt(() => fs.readdirSync(root + '/origin/actions/executor')),
    'read other sources': attempt(() => fs.readFileSync(root + '/shared/limits.ts')),
    'read a package': attempt(() => fs.readFileSync(root + '/node_modules/undici/package.json')),
    'read another file of the package that it uses': attempt(() => fs.readFileSync(root + '/node_modules/tiny-secp256k1/package.json')),
    'list packages': attempt(() => fs.readdirSync(root + '/node_modules')),
    'import a package': await attemptAsync(() => import('undici')),
    'read the state folder': attempt(() => fs.readFileSync(state)),
    'list the state folder': attempt(() => fs.readdirSync(state + '/..')),
    'read /etc/passwd': attempt(() => fs.readFileSync('/etc/passwd')),
    'read the environment of the parent': attempt(() => fs.readFileSync('/proc/' + process.ppid + '/environ')),
    'write beside its code': attempt(() => fs.writeFileSync(root + '/origin/actions/x', '')),
    'start a process': attempt(() => { const { error } = spawnSync('true'); if (error) throw error }),
    'start a thread': attempt(() => new Worker('0', { eval: true })),
    'load an add-on': attempt(() => process.dlopen({ exports: {} }, '/lib/x.node')),
  }))`

describe('an executor', () => {
  it('has no secrets, and no access to sources, packages, the state folder, processes, threads or add-ons', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-state-'))
    const secret = join(folder, 'root-key')
    writeFileSync(secret, 'root key')
    const root = join(import.meta.dirname, '../../..')
    const { execArgv, env, cwd } = sandboxedForkOptions(0, executorFiles())
    const args = [
      ...execArgv,
      '--input-type=module',
      '--eval',
      PROBE,
      JSON.stringify([secret, root]),
    ]
    const probe = spawnSync(process.execPath, args, { env, cwd: String(cwd), encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    const denied = 'ERR_ACCESS_DENIED'
    expect(probe.stderr).toBe('')
    expect(JSON.parse(probe.stdout)).toEqual({
      environment: ['TZ'],
      'read its bundle': 'allowed',
      'read its source': denied,
      'list its folder': denied,
      'read other sources': denied,
      'read a package': denied,
      'read another file of the package that it uses': denied,
      'list packages': denied,
      'import a package': denied,
      'read the state folder': denied,
      'list the state folder': denied,
      'read /etc/passwd': denied,
      'read the environment of the parent': denied,
      'write beside its code': denied,
      'start a process': denied,
      'start a thread': denied,
      'load an add-on': 'ERR_DLOPEN_DISABLED',
    })
  })

  it.skipIf(process.platform !== 'linux')('starts with an empty environment', () => {
    const ready = sandbox.events.find(({ type }) => type === 'executor_ready')
    const names = readFileSync(`/proc/${ready?.pid}/environ`, 'utf8')
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.split('=')[0])
    expect(names.filter((name) => name !== 'TZ' && !name?.startsWith('NODE_CHANNEL'))).toEqual([])
  })

  it.each([
    ['an unknown type', { type: 'open_sesame' }],
    [
      'an unknown operation',
      { type: 'key_operation', token: 't', id: 1, operation: { name: 'getRootKey' } },
    ],
    ['a value that is no JSON', ended({ kind: 'returned', value: '1, "admin": true' })],
    ['a code that is none of ours', ended({ kind: 'failed', code: 'x', message: '', stack: '' })],
    ['a value beyond the limit', ended({ kind: 'returned', value: `"${'x'.repeat(2 ** 20)}"` })],
  ])('is not trusted when it sends %s', (_name, message) => {
    expect(parseExecutorMessage(message)).toBeUndefined()
  })
})

function ended(result: object) {
  return { type: 'ended', token: 't', result: { logs: [], durationMs: 1, cpuMs: 1, ...result } }
}
