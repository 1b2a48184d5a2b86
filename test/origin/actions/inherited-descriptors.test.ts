import { execFileSync, type StdioOptions } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'svc-descriptors-'))
const secret = join(folder, 'secret')
writeFileSync(secret, 'a key')
const fd = openSync(secret, 'r')
afterAll(() => {
  closeSync(fd)
  rmSync(folder, { recursive: true })
})

/**
 * Returns the files that a pool's executor has open while the pool's process holds the secret open as descriptors 9, 40
 * and 200.
 */
function openFiles(ofPool: boolean): string[] {
  const program = `
    const { readdirSync, readlinkSync } = require('node:fs')
    const events = []
    import(${JSON.stringify(new URL('../../../origin/actions/pool.ts', import.meta.url))}).then(async ({ createActionPool }) => {
      const pool = createActionPool({ min: 1, onEvent: (event) => events.push(event) })
      await pool.ready()
      const files = '/proc/' + (${ofPool} ? process.pid : events[0].pid) + '/fd'
      const links = readdirSync(files).flatMap((name) => {
        try { return [readlinkSync(files + '/' + name)] } catch { return [] }
      })
      console.log(JSON.stringify(links))
      await pool.close()
    })`
  const at = new Set([9, 40, 200])
  const more = Array.from({ length: 198 }, (_, index) =>
    at.has(index + 3) ? fd : ('ignore' as const),
  )
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...more]
  const said = execFileSync(process.execPath, ['-e', program], { stdio, encoding: 'utf8' })
  return JSON.parse(said) as string[]
}

it.skipIf(process.platform !== 'linux')(
  'does not pass files that the origin inherited from its parent on to an executor',
  () => {
    expect(openFiles(true).filter((file) => file === secret)).toHaveLength(3)
    expect(openFiles(false)).not.toContain(secret)
  },
)
