import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_SMALL_CHUNKS_MAX } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { chunk, head, RawRequest, type Served, serveOrigin } from './served-origin.ts'

let origin: TestOrigin
let served: Served
beforeAll(async () => {
  origin = await startOrigin()
  served = await serveOrigin(origin.app)
})
afterAll(async () => {
  await served.close()
  await origin.close()
})

const SOURCE_PATH = '/core/v1/get_svc_action_ipfs_id'

describe('a body in tiny chunks', () => {
  it('is rejected with a structured 400, and its connection is closed', async () => {
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await request.send(chunk('x').repeat(BODY_SMALL_CHUNKS_MAX + 1))
    const { status, head: answered, body } = await request.answer()
    expect([status, body.error]).toEqual([400, 'bad_request'])
    expect(body.message).toContain('chunks')
    expect(answered).toMatch(/^connection: close$/im)
    await request.closed
  })

  it('is accepted if there are few, as from an encoder that writes token by token', async () => {
    const source = 'x'.repeat(BODY_SMALL_CHUNKS_MAX - 2)
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked'))
    await request.send([...JSON.stringify(source)].map(chunk).join(''), '0\r\n\r\n')
    const { status, body } = await request.answer()
    expect([status, body]).toEqual([
      200,
      (await origin.core('get_svc_action_ipfs_id', { body: source })).body,
    ])
    request.socket.destroy()
  })

  it('is accepted in any number of TLS records of 1 KB', async () => {
    const text = JSON.stringify('y'.repeat(256 * 1024))
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, `Content-Length: ${text.length}`))
    for (let at = 0; at < text.length; at += 1024) await request.send(text.slice(at, at + 1024))
    expect((await request.answer()).status).toBe(200)
    request.socket.destroy()
  })

  it('leaves the connection usable if it is small', async () => {
    const request = new RawRequest(served.port)
    const post = head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked')
    await request.send(post + chunk('"') + chunk('a"') + '0\r\n\r\n')
    expect((await request.answer()).status).toBe(200)
    await request.send(head('POST', '/core/v1/nothing', 'Content-Length: 2'), '{}')
    await expect.poll(() => request.received).toContain('HTTP/1.1 404')
    request.socket.destroy()
  })

  it('gets 100 Continue if the client waits for it', async () => {
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, 'Content-Length: 3', 'Expect: 100-continue'))
    await expect.poll(() => request.received).toContain('HTTP/1.1 100 Continue')
    await request.send('"a"')
    expect((await request.answer()).status).toBe(200)
    request.socket.destroy()
  })
})
