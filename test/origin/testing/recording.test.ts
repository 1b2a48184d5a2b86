import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { recording, runAction } from '@svc-run/cli/test'
import { RecordingFile } from '../../../origin/testing/recording-file.ts'
import type { SentRequest } from '../../../origin/testing/sandbox/messages.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recording-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const fileOf = (exchanges: object[]) => {
  const path = join(folder, 'a.json')
  writeFileSync(path, JSON.stringify({ version: 1, exchanges }))
  return path
}
const exchange = (text: string, body?: string) => ({
  request: {
    method: body === undefined ? 'GET' : 'POST',
    url: 'https://a.example/?key=redacted',
    ...(body !== undefined && { body: { text: body } }),
  },
  response: { status: 200, statusText: 'OK', headers: [], body: { text } },
})
const twice = {
  code: `async function main() {
    const read = async () => (await fetch('https://a.example/?key=' + Math.random())).text()
    return [await read(), await read()]
  }`,
}

it('replays each response once, in order', async () => {
  const file = fileOf([exchange('first'), exchange('second')])
  expect(await runAction(twice, { fetch: recording(file) })).toRespondWith(['first', 'second'])
  expect(await runAction(twice, { fetch: recording(file) })).toRespondWith(['first', 'second'])
})

it('explains which request is not recorded', async () => {
  const file = fileOf([exchange('first'), exchange('second', 'a body')])
  await expect(runAction(twice, { fetch: recording(file) })).rejects.toThrow(
    /a\.json does not contain it with this method and body; record it with svc test --record/,
  )
})

it.each([
  ['does not exist', undefined],
  ['is not a recording', '{"version":2}'],
])('names a file that %s', async (message, content) => {
  const file = join(folder, 'b.json')
  if (content !== undefined) writeFileSync(file, content)
  await expect(runAction(twice, { fetch: recording(file) })).rejects.toThrow(message)
})

it('records responses without secrets, and replays them', async () => {
  const server = createServer((request, response) => {
    response.setHeader('set-cookie', 'session=1')
    request.pipe(response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as { port: number }
  const file = join(folder, 'new', 'c.json')
  const opened = () =>
    new RecordingFile(file, { redact: (text) => text.replaceAll('hunter2', 'password') }).open()
  const request: SentRequest = {
    method: 'POST',
    url: `http://127.0.0.1:${port}/v2?api_key=S3CRET`,
    headers: { authorization: 'Bearer S3CRET' },
    body: Buffer.from('it is hunter2'),
  }
  try {
    vi.stubEnv('SVC_TEST_RECORD', '1')
    expect(await opened().respond(request)).toMatchObject({ status: 200 })
  } finally {
    await new Promise((closed) => server.close(closed))
  }
  const text = readFileSync(file, 'utf8')
  for (const secret of ['S3CRET', 'hunter2', 'session=1']) expect(text).not.toContain(secret)
  vi.stubEnv('SVC_TEST_RECORD', '')
  const replayed = await opened().respond(request)
  expect(replayed).toMatchObject({ body: Buffer.from('it is password') })
})
