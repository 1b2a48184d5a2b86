import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { executorFiles, sandboxedForkOptions } from '../../../origin/actions/pool/fork.ts'
import { nodeBundles } from '../../../origin/stack/bundles.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { closedAfterwards } from './requests.ts'

const OUTBOUND = fileURLToPath(
  new URL('../../../origin/actions/outbound/outbound.ts', import.meta.url),
)

/** Makes two requests as an executor does, and reports which CommonJS modules were loaded before and for them. */
const PROBE = `
  import { createRequire } from 'node:module'
  const [port, entry] = JSON.parse(process.argv.at(-1))
  const { cache } = createRequire(entry)
  const loaded = () => Object.keys(cache).map((path) => path.split('/').at(-1))
  const { Outbound } = await import(entry)
  const run = new Outbound({ allow: [{ host: '127.0.0.1', port }], deny: [] }).forRun()
  const before = loaded()
  const ask = (url) => run.fetch({ url, method: 'GET', headers: [], redirect: 'follow' }, new Uint8Array(0), new AbortController().signal)
  const answer = await ask('http://127.0.0.1:' + port + '/')
  const refused = await ask('http://127.0.0.2:' + port + '/')
  run.close()
  console.log(JSON.stringify({
    before, loaded: loaded(), text: Buffer.from(answer.bytes).toString(), refused: refused.message,
  }))`

it('an executor under its permission model can make requests, and loads undici on the first', async () => {
  const server = closedAfterwards(
    await startWebServer((_request, response) => response.end('hello')),
  )
  const folder = mkdtempSync(join(tmpdir(), 'svc-outbound-'))
  closedAfterwards({ close: () => rmSync(folder, { recursive: true }) })
  const [bundle] = await nodeBundles([OUTBOUND], folder)
  const { execArgv, env, cwd } = sandboxedForkOptions(0, [bundle!, ...executorFiles()])
  const argv = [
    ...execArgv,
    '--input-type=module',
    '--eval',
    PROBE,
    JSON.stringify([server.port, bundle]),
  ]
  const child = spawn(process.execPath, argv, { env, cwd: String(cwd) })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    before: [],
    loaded: ['undici-client.cjs'],
    text: 'hello',
    refused: expect.stringMatching(/is not a public address/),
  })
})
