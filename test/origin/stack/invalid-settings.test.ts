import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ORIGIN_NODE_OPTIONS } from '../../../origin/node-options.ts'
import { originSettings } from '../../../origin/settings.ts'

const MAIN = fileURLToPath(new URL('../../../origin/main.ts', import.meta.url))
// With a space, which makes it invalid for every setting.
const CANARY = 'canary 2f81'

it('an origin with faulty settings exits, and names all of them in the log without values', async () => {
  const names = Object.keys(originSettings).filter(
    (name) => !/STATE_DIR|HOST|CHAIN_NAME|COMPOSE_FILE|TLS_DIR|DENY|SIMULATOR/.test(name),
  )
  const env = Object.fromEntries(names.map((name) => [name, CANARY]))
  const { code, output } = await new Promise<{ code: unknown; output: string }>((done) => {
    execFile(
      process.execPath,
      [...ORIGIN_NODE_OPTIONS, MAIN],
      { env: { ...env, PATH: process.env['PATH'] } },
      (error, stdout, stderr) => done({ code: error?.code, output: stdout + stderr }),
    )
  })
  expect(code).toBe(1)
  const failed = output.split('\n').find((line) => line.includes('"origin.failed"'))!
  const { settings } = JSON.parse(failed) as { settings: string }
  for (const name of names) expect(settings).toContain(`${name}: `)
  expect(output).not.toContain(CANARY)
})
