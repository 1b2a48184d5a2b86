/** Floods by clients without a key. They must not affect another account's requests or the memory of the process. */
import { request as httpsRequest, Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import type { Sending, Sent } from './body-sender.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { chunk, head, hostileSender, type Served, serveOrigin } from './served-origin.ts'

let origin: TestOrigin
let served: Served
let key: string
let processor: ProcessorDouble
beforeAll(async () => {
  processor = await startProcessor()
  origin = await startOrigin(processor)
  served = await serveOrigin(origin.app)
  key = await origin.account()
  // Warm-up: otherwise the first flood would also measure the compilation of the code that it runs.
  await latenciesDuring(stream({ block: GET_VERSION.repeat(100) }, 1))
})
afterAll(async () => {
  await served.close()
  await origin.close()
  await processor.close()
})

const SOURCE_PATH = '/core/v1/get_svc_action_ipfs_id'
const FLOOD_MS = 1_200
const MEMORY_BYTES = 150_000_000
const P99_MS = 50
const SAMPLES_MIN = 100
/** One flood gives too few samples on a busy machine. */
const FLOODS_MAX = 10

const GET_VERSION = head('GET', '/core/v1/version')
const GET_DESCRIPTION = head('GET', '/core/v1/openapi.json')
const chunked = (path: string, method = 'POST') => head(method, path, 'Transfer-Encoding: chunked')

type Flood = { opening?: string; block: string; totalBytes?: number }

function stream({ opening = '', block, totalBytes = 0 }: Flood, connections: number): Sending {
  const { port } = served
  return { kind: 'stream', opening, block, totalBytes, forMs: FLOOD_MS, connections, port }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })

/** CPU time used so far by this thread, which serves the requests and sends the measured ones. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Sends a keyed read by an account that is unrelated to the flood.
 * @returns CPU milliseconds of this thread until the response, which is the latency on a machine with a free processor
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

/** Measures only during a flood, and repeats the flood until there are enough samples. */
async function latenciesDuring(sending: Sending) {
  const before = process.memoryUsage.rss()
  let most = before
  let sent: Sent
  let floods = 0
  const times: number[] = []
  do {
    const sender = await hostileSender()
    const flood = sender.send(sending)
    const over = new AbortController()
    void flood.finally(() => over.abort())
    while (!over.signal.aborted) {
      times.push(await ask())
      most = Math.max(most, process.memoryUsage.rss())
    }
    sent = await flood
  } while (times.length <= SAMPLES_MIN && ++floods < FLOODS_MAX)
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
  return { p99, samples: times.length, memoryBytes: most - before, sent }
}

function expectServed(measured: Awaited<ReturnType<typeof latenciesDuring>>): void {
  expect(measured.samples).toBeGreaterThan(SAMPLES_MIN)
  expect(measured.p99).toBeLessThan(P99_MS)
  expect(measured.memoryBytes).toBeLessThan(MEMORY_BYTES)
}

describe('attack: 30 MB of tiny chunks', () => {
  const tiny = (bytes: number) => chunk('x'.repeat(bytes)).repeat(8_192)

  it.each([
    ['POST', SOURCE_PATH, 1, 4],
    ['POST', SEALED_EXECUTE_PATH, 1, 4],
    ['POST', SEALED_HTTP_PATH, 1, 4],
    ['POST', PROCESSOR_WEBHOOK_PATH, 1, 4],
    ['POST', '/core/v1/nothing', 1, 4],
    ['POST', '/core/v1/svc_action', 1, 4],
    ['GET', '/core/v1/version', 1, 4],
    ['POST', SOURCE_PATH, 1, 40],
    // Just above the size that is rejected.
    ['POST', SOURCE_PATH, 33, 4],
  ])(
    '%s %s, %i bytes each, on %i connections: others are served, memory is flat',
    async (method, path, bytes, connections) => {
      const flood = { opening: chunked(path, method), block: tiny(bytes), totalBytes: 30_000_000 }
      const measured = await latenciesDuring(stream(flood, connections))
      expect(measured.sent.bytes).toBeGreaterThanOrEqual(30_000_000)
      expectServed(measured)
    },
  )
})

describe('attack: pipelined requests', () => {
  const ofTinyChunks = (count: number) =>
    `${chunked('/core/v1/nothing')}${chunk('x').repeat(count)}0\r\n\r\n`

  it.each([
    ['of 63 tiny chunks', 4, ofTinyChunks(63)],
    ['of 63 tiny chunks', 40, ofTinyChunks(63)],
    ['of 1,000 tiny chunks', 4, ofTinyChunks(1_000)],
    ['without a body', 1, GET_VERSION],
    ['without a body', 40, GET_VERSION],
  ])('%s, on %i connections: others are served', async (_, connections, request) => {
    const block = request.repeat(Math.ceil((256 * 1024) / request.length))
    const measured = await latenciesDuring(stream({ block }, connections))
    expect(measured.sent.bytes).toBeGreaterThan(block.length)
    expectServed(measured)
  })

  it('with unread responses: others are served, memory is flat', async () => {
    const block = GET_DESCRIPTION.repeat(3_000)
    const { port } = served
    expectServed(
      await latenciesDuring({ kind: 'unread', block, connections: 20, holdMs: FLOOD_MS, port }),
    )
  })
})
