import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bundleEdge } from '../../origin/stack/edge-bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-edge-bundle-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('reports the errors of the build command', () => {
  const error = join(folder, 'error.txt')
  writeFileSync(error, 'script.ts:1:9: ERROR: No matching export')
  writeFileSync(join(folder, 'worker.ts'), 'export default {}')
  const config = join(folder, 'wrangler.toml')
  const command = `cat ${error} >&2; exit 1`
  writeFileSync(config, `name = "broken"\nmain = "worker.ts"\n[build]\ncommand = "${command}"\n`)
  expect(() => bundleEdge(join(folder, 'out'), config)).toThrow('ERROR: No matching export')
})
