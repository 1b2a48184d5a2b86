import { request as httpsRequest, Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_SMALL_PIECES_MAX } from '../../../shared/limits.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import {
  chunk,
  head,
  hostileSender,
  RawRequest,
  type Served,
  serveOrigin,
} from './served-origin.ts'

let origin: TestOrigin
let served: Served
let key: string
let processor: ProcessorDouble
beforeAll(async () => {
  processor = await startProcessor()
  origin = await startOrigin(processor)
  served = await serveOrigin(origin.app)
  key = await origin.account()
})
afterAll(async () => {
  await served.close()
  await origin.close()
  await processor.close()
})

const SOURCE_PATH = '/core/v1/get_svc_action_ipfs_id'
const ATTACK_BYTES = 30_000_000
const MEMORY_BYTES = 150_000_000
const P99_MS = 50

const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })

/** What this thread, which serves and asks, has computed so far. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Milliseconds until the answer to a keyed read by an account that has nothing to do with the attack: the time that the
 * thread was busy meanwhile, which is the latency on a machine that has a processor for it.
 */
function ask(): Promise<number> {
  const began = threadMs()
  const options = {
    port: served.port,
    path: '/core/v1/list_groups',
    agent,
    headers: { 'x-api-key': key },
  }
  return new Promise((resolve, reject) => {
    const asked = httpsRequest(options, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(threadMs() - began)
        else reject(new Error(`status ${response.statusCode}`))
      })
    })
    asked.once('error', reject).end()
  })
}

/** The 99th percentile of requests that are made one after the other while `work` lasts, at least `atLeast` of them. */
async function p99During(work: Promise<unknown>, atLeast: number): Promise<number> {
  const times: number[] = []
  let isDone = false
  void work.finally(() => (isDone = true))
  while (!isDone || times.length < atLeast) times.push(await ask())
  await work
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

describe('attack: 30 MB of tiny chunks on four connections', () => {
  // Warm-up: the first attack would also measure the compilation of the code it runs.
  beforeAll(async () => {
    const sender = await hostileSender()
    const few = { connections: 1, totalBytes: 1_000_000 }
    const path = SOURCE_PATH
    await sender.send({
      kind: 'chunks',
      chunkBytes: 1,
      method: 'POST',
      path,
      port: served.port,
      ...few,
    })
  })

  it.each([
    ['POST', SOURCE_PATH, 1],
    ['POST', SEALED_EXECUTE_PATH, 1],
    ['POST', SEALED_HTTP_PATH, 1],
    ['POST', PROCESSOR_WEBHOOK_PATH, 1],
    ['POST', '/core/v1/nothing', 1],
    ['POST', '/core/v1/svc_action', 1],
    ['GET', '/core/v1/version', 1],
    // Just above what is refused.
    ['POST', SOURCE_PATH, 33],
  ])(
    '%s %s, %i bytes each: others are served, memory is flat',
    async (method, path, chunkBytes) => {
      await p99During(Promise.resolve(), 300)
      const sender = await hostileSender()
      const before = process.memoryUsage.rss()
      let most = before
      const watching = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 20)
      const attack = sender.send({
        kind: 'chunks',
        chunkBytes,
        method,
        path,
        port: served.port,
        connections: 4,
        totalBytes: ATTACK_BYTES,
      })
      const p99 = await p99During(attack, 300)
      clearInterval(watching)
      const { bytes, connections } = await attack
      expect(bytes).toBeGreaterThanOrEqual(ATTACK_BYTES)
      expect(connections).toBeGreaterThanOrEqual(4)
      expect(p99).toBeLessThan(P99_MS)
      expect(most - before).toBeLessThan(MEMORY_BYTES)
    },
  )
})

describe('a body in tiny chunks', () => {
  it('is refused with a structured 400, and its connection is closed', async () => {
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await request.send(chunk('x').repeat(BODY_SMALL_PIECES_MAX + 1))
    const { status, head: answered, body } = await request.answer()
    expect([status, body.error]).toEqual([400, 'bad_request'])
    expect(body.message).toContain('pieces')
    expect(answered).toMatch(/^connection: close$/im)
    await request.closed
  })

  it('is read where its chunks are few: an encoder that writes token by token', async () => {
    const source = 'x'.repeat(BODY_SMALL_PIECES_MAX - 2)
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

  it('is read in TLS records of 1 KB, however many', async () => {
    const text = JSON.stringify('y'.repeat(256 * 1024))
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, `Content-Length: ${text.length}`))
    for (let at = 0; at < text.length; at += 1024) await request.send(text.slice(at, at + 1024))
    expect((await request.answer()).status).toBe(200)
    request.socket.destroy()
  })

  it('leaves the connection usable after a small one', async () => {
    const request = new RawRequest(served.port)
    const post = head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked')
    await request.send(post + chunk('"') + chunk('a"') + '0\r\n\r\n')
    expect((await request.answer()).status).toBe(200)
    await request.send(head('POST', '/core/v1/nothing', 'Content-Length: 2'), '{}')
    await expect.poll(() => request.received).toContain('HTTP/1.1 404')
    request.socket.destroy()
  })

  it('is continued for a client that waits for 100', async () => {
    const request = new RawRequest(served.port)
    await request.send(head('POST', SOURCE_PATH, 'Content-Length: 3', 'Expect: 100-continue'))
    await expect.poll(() => request.received).toContain('HTTP/1.1 100 Continue')
    await request.send('"a"')
    expect((await request.answer()).status).toBe(200)
    request.socket.destroy()
  })
})
