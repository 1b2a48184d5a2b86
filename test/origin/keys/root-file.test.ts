import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadRootKey, ROOT_KEY_FILE } from '../../../origin/keys/root-key-file.ts'
import { simulatedPinOf } from '../../../origin/tee/simulated/provider.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-root-'))
  file = join(folder, ROOT_KEY_FILE)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the local root key', () => {
  it('is created at the first start, readable only by its owner, and kept', () => {
    const key = loadRootKey(folder, 'local')
    expect(key).toHaveLength(32)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(loadRootKey(folder, 'local')).toEqual(key)
    expect(readdirSync(folder)).toEqual([ROOT_KEY_FILE])
  })

  it('has its permissions restricted again if they were widened', () => {
    loadRootKey(folder, 'local')
    chmodSync(file, 0o644)
    loadRootKey(folder, 'local')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['empty', ''],
    ['cut', 'ab'.repeat(31)],
    ['not hex', 'xy'.repeat(32)],
    ['two keys', `${'ab'.repeat(32)}\n${'cd'.repeat(32)}`],
  ])('is never replaced or shown if it is damaged (%s)', (_what, text) => {
    writeFileSync(file, text)
    expect(() => loadRootKey(folder, 'local')).toThrow('is damaged')
    expect(readFileSync(file, 'utf8')).toBe(text)
    if (text !== '') expect(() => loadRootKey(folder, 'local')).not.toThrow(text)
  })

  it('is rejected in production, and not created there', () => {
    expect(() => loadRootKey(folder, 'production')).toThrow('production does not allow')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is one key for concurrent starts', async () => {
    const module = new URL('../../../origin/keys/root-key-file.ts', import.meta.url).href
    const script = `import(${JSON.stringify(module)}).then(({ loadRootKey }) => {
      process.stdout.write('ready\\n')
      process.stdin.once('data', () => {
        process.stdout.write(Buffer.from(loadRootKey(${JSON.stringify(folder)}, 'local')).toString('hex'))
        process.exit()
      })
    })`
    const starts = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      return { child, said: () => text }
    })
    await Promise.all(starts.map(({ child }) => once(child.stdout, 'data')))
    for (const { child } of starts) child.stdin.write('go')
    await Promise.all(starts.map(({ child }) => once(child, 'close')))
    const keys = new Set(starts.map(({ said }) => said().replace('ready\n', '')))
    expect([...keys]).toEqual([Buffer.from(loadRootKey(folder, 'local')).toString('hex')])
    expect(readdirSync(folder)).toEqual([ROOT_KEY_FILE])
  })

  it('of staging is created by npm run simulated-root, which prints its pin, and kept', async () => {
    expect(() => loadRootKey(folder, 'staging')).toThrow('does not exist; restore it')
    expect(readdirSync(folder)).toEqual([])
    const root = fileURLToPath(new URL('../../../', import.meta.url))
    const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
    const [command] = /^npm run simulated-root -- \S+/m.exec(page)!
    const own = command.replace('/var/lib/svc-staging', folder).replace('run', 'run -s')
    const print = () => execFileSync('bash', ['-c', own], { cwd: root, encoding: 'utf8' }).trim()
    const pin = print()
    expect(pin).toBe(simulatedPinOf(loadRootKey(folder, 'staging')))
    expect(print()).toBe(pin)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
