import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { writeExecutorCode } from '../../../origin/actions/pool/executor-code.ts'
import { sandboxedForkOptions } from '../../../origin/actions/pool/fork.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { closedAfterwards } from './requests.ts'

const OUTBOUND = 'origin/actions/outbound/outbound.ts'

/** Makes two requests as an executor does, and reports which modules were loaded for them. */
const PROBE = `
  import { createRequire } from 'node:module'
  const [port, entry] = JSON.parse(process.argv.at(-1))
  const { cache } = createRequire(entry)
  const loaded = () => Object.keys(cache).filter((path) => path.includes('/undici/'))
  const { Outbound } = await import(entry)
  const run = new Outbound({ allow: [{ host: '127.0.0.1', port }], deny: [] }).forRun()
  const before = loaded().length
  const ask = (url) => run.fetch({ url, method: 'GET', headers: [], redirect: 'follow' }, new Uint8Array(0), new AbortController().signal)
  const answer = await ask('http://127.0.0.1:' + port + '/')
  const refused = await ask('http://127.0.0.2:' + port + '/')
  run.close()
  console.log(JSON.stringify({
    before, loaded: loaded().map((path) => path.split('/undici/')[1]),
    text: Buffer.from(answer.bytes).toString(), refused: refused.message,
  }))`

it('an executor under its permission model can make requests, and loads undici on the first', async () => {
  const server = closedAfterwards(
    await startWebServer((_request, response) => response.end('hello')),
  )
  const code = writeExecutorCode([OUTBOUND])
  closedAfterwards({ close: () => code.remove() })
  const { execArgv, env, cwd } = sandboxedForkOptions(0, [code.folder])
  const argv = [
    ...execArgv,
    '--input-type=module',
    '--eval',
    PROBE,
    JSON.stringify([server.port, code.entry(OUTBOUND)]),
  ]
  const child = spawn(process.execPath, argv, { env, cwd: String(cwd) })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe('')
  const seen = JSON.parse(stdout) as {
    before: number
    loaded: string[]
    text: string
    refused: string
  }
  expect(seen).toMatchObject({ before: 0, text: 'hello' })
  expect(seen.refused).toMatch(/is not a public address/)
  expect(seen.loaded).toContain('lib/dispatcher/client.js')
  expect(seen.loaded.filter((path) => /^lib\/(web|mock|cache|interceptor)\//.test(path))).toEqual(
    [],
  )
})
