import { createServer } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BodyBudget, BodyBudgetExhaustedError } from '../../../origin/admission/body-budgets.ts'
import { BodyBuffer } from '../../../origin/http/body/body-buffer.ts'
import { type BodyPace, readIncoming } from '../../../origin/http/body/read-body.ts'
import { HEADER_BYTES } from '../../../shared/envelope/format.ts'
import {
  ARRIVING_BODIES_SHARE_BYTES,
  CORE_BODY_MAX_BYTES,
  OPERATION_BODY_MAX_BYTES,
} from '../../../shared/limits.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { head, hostileSender, RawRequest, type Served, serveOrigin } from './served-origin.ts'

let origin: TestOrigin
let served: Served
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  served = await serveOrigin(origin.app)
  key = await origin.account()
})
afterAll(async () => {
  await served.close()
  await origin.close()
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Memory in use. Outgrown buffers are garbage, which is collected first and not counted. */
function liveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const SOURCE_PATH = '/core/v1/get_svc_action_ipfs_id'
const KIB = 1024
const MIB = 1024 * KIB
const open = (...lines: string[]) =>
  new RawRequest(served.port).send(head('POST', ...(lines as [string])))

describe('attack: 60 connections that send 32 MiB less one byte, and stall', () => {
  it('hold at most the share of one network, while small requests and accounts are served', async () => {
    const sender = await hostileSender()
    const before = liveBytes()
    const attack = sender.send({
      kind: 'stalled',
      method: 'POST',
      path: SOURCE_PATH,
      port: served.port,
      connections: 60,
      bodyBytes: CORE_BODY_MAX_BYTES,
      holdMs: 3_000,
    })
    await expect
      .poll(() => origin.services.bodyBudgets.forClient('127.0.0.1').room.heldBytes, {
        timeout: 20_000,
      })
      .toBeGreaterThan(ARRIVING_BODIES_SHARE_BYTES / 2)

    const small = await open(SOURCE_PATH, 'Content-Length: 3')
    await small.send('"a"')
    expect((await small.answer()).status).toBe(200)
    const text = JSON.stringify({ code: 'const main = () => 1', pad: 'x'.repeat(4 * MIB) })
    const keyed = await open(
      '/core/v1/svc_action',
      `X-Api-Key: ${key}`,
      `Content-Length: ${text.length}`,
    )
    await keyed.send(text)
    expect((await keyed.answer()).status).toBe(200)

    expect(liveBytes() - before).toBeLessThan(2 * ARRIVING_BODIES_SHARE_BYTES)
    const { statuses } = await attack
    expect(statuses['503']).toBeGreaterThan(30)
    await expect
      .poll(() => origin.services.bodyBudgets.forClient('127.0.0.1').room.heldBytes)
      .toBe(0)
  }, 60_000)

  it('are rejected with Retry-After and a structured body', async () => {
    const { room, name } = origin.services.bodyBudgets.forClient('127.0.0.1')
    room.reserve(name, ARRIVING_BODIES_SHARE_BYTES)
    const request = await open(SOURCE_PATH, `Content-Length: ${MIB}`)
    await request.send('x'.repeat(128 * KIB))
    const { status, head: answered, body } = await request.answer()
    room.release(name, ARRIVING_BODIES_SHARE_BYTES)
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(answered).toMatch(/^retry-after: 10$/im)
    request.socket.destroy()
  })
})

describe('a large body', () => {
  const LARGE = `Content-Length: ${CORE_BODY_MAX_BYTES}`

  it.each(['/core/v1/svc_action', '/core/v1/add_group'])(
    'is not read without a valid key, which is checked first: %s',
    async (path) => {
      const length = path.endsWith('svc_action') ? LARGE : 'Content-Length: 60000'
      for (const headers of [[length], [length, 'X-Api-Key: unknown']]) {
        const request = await open(path, ...headers)
        expect((await request.answer()).status).toBe(401)
        request.socket.destroy()
      }
    },
  )

  const envelope = async (path: string, mode: 'psk' | 'base' = 'psk') =>
    Buffer.from((await origin.seal(path, {}, mode)).body).subarray(0, HEADER_BYTES)
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 0xff
    return copy
  }

  it.each([
    ['another version', 0, 400],
    ['another mode', 1, 400],
    ['an unknown channel key', 2, 421],
    ['an unknown pre-shared key', 20, 401],
  ])('is not read in an envelope with %s, which its first 34 bytes show', async (_, at, status) => {
    for (const path of [SEALED_EXECUTE_PATH, SEALED_HTTP_PATH]) {
      const request = await open(path, LARGE)
      const opening = changed(await envelope(path), at)
      await request.send(opening.subarray(0, 7), opening.subarray(7))
      expect((await request.answer()).status).toBe(status)
      request.socket.destroy()
    }
  })

  it('is not read in a base-mode envelope at a path that only the edge may use', async () => {
    const request = await open(SEALED_HTTP_PATH, LARGE)
    await request.send(await envelope(SEALED_HTTP_PATH, 'base'))
    expect((await request.answer()).status).toBe(413)
    request.socket.destroy()
  })

  it('counts against the edge if it names the pre-shared key, and otherwise against the sender', async () => {
    const holders = origin.services.bodyBudgets
    for (const [mode, { room }] of [
      ['psk', holders.forEdge()],
      ['base', holders.forClient('127.0.0.1')],
    ] as const) {
      const request = await open(SEALED_EXECUTE_PATH, LARGE)
      await request.send(await envelope(SEALED_EXECUTE_PATH, mode), Buffer.alloc(128 * KIB))
      await expect.poll(() => room.heldBytes).toBeGreaterThan(128 * KIB)
      request.socket.destroy()
      await expect.poll(() => room.heldBytes).toBe(0)
    }
  })
})

describe('a slow body', () => {
  const pace: BodyPace = { withinMs: 400, stallMs: 100, stallBytes: 10 * KIB }
  const room = new BodyBudget({ totalBytes: MIB, shareBytes: MIB, retryAfterMs: 1 })

  /** Reads a body that is written piece by piece, and returns its length or the message of the error. */
  async function ending(write: (send: (bytes: number) => void) => Promise<void>): Promise<unknown> {
    const ended = Promise.withResolvers<unknown>()
    const server = createServer((incoming) => {
      const body = new BodyBuffer({ maxBytes: 8 * MIB, holder: { room, name: 'a' } }, undefined)
      void readIncoming(incoming, body, pace)
        .then(
          () => body.length,
          (error: unknown) => (error as Error).message,
        )
        .then(ended.resolve)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    await write((bytes) => socket.write(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`))
    const result = await ended.promise
    socket.destroy()
    server.close()
    return result
  }
  const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  it('has a deadline, even if it is small', async () => {
    expect(await ending(async (send) => send(1))).toBe('it was not complete within 400 ms')
  })

  it('is abandoned if it is large and makes no progress', async () => {
    const result = await ending(async (send) => send(OPERATION_BODY_MAX_BYTES + 1))
    expect(result).toMatch(/^0 bytes arrived in 100 ms/)
  })

  it('is abandoned if single bytes trickle in', async () => {
    const result = await ending(async (send) => {
      send(OPERATION_BODY_MAX_BYTES + 1)
      for (let n = 0; n < 6; n++) {
        await rest(40)
        send(1)
      }
    })
    expect(result).toMatch(/bytes arrived in 100 ms/)
  })

  it('gets a structured 408 over HTTP, and its connection is closed', async () => {
    const request = await open(SOURCE_PATH, `Content-Length: ${MIB}`)
    await request.send('x'.repeat(100 * KIB))
    const { status, head: answered, body } = await request.answer()
    expect([status, body.error]).toEqual([408, 'body_too_slow'])
    expect(answered).toMatch(/^connection: close$/im)
    await request.closed
  }, 40_000)

  it('is not logged as a failure of the server if the client disconnects', async () => {
    const failed = () => origin.logs.filter(({ event }) => event === 'request.failed').length
    const before = failed()
    const request = await open(SOURCE_PATH, `Content-Length: ${MIB}`)
    await request.send('x'.repeat(100 * KIB))
    await rest(100)
    request.socket.destroy()
    await rest(200)
    expect(failed()).toBe(before)
  })
})

describe('memory for bodies', () => {
  it('is limited for each holder and in total', () => {
    const room = new BodyBudget({ totalBytes: 100, shareBytes: 60, retryAfterMs: 1 })
    room.reserve('a', 60)
    expect(() => room.reserve('a', 1)).toThrow(BodyBudgetExhaustedError)
    room.reserve('b', 40)
    expect(() => room.reserve('c', 1)).toThrow(BodyBudgetExhaustedError)
    room.release('a', 60)
    room.reserve('c', 60)
    expect(room.heldBytes).toBe(100)
  })

  it('free memory: an envelope that arrives in one piece counts against its holder', () => {
    const room = new BodyBudget({ totalBytes: MIB, shareBytes: MIB, retryAfterMs: 1 })
    const bounds = { maxBytes: MIB, holder: { room, name: 'a' } }
    const opening = { bytes: HEADER_BYTES, judge: () => bounds }
    const body = new BodyBuffer({ ...bounds, opening }, MIB)
    body.add(new Uint8Array(MIB))
    expect(room.heldBytes).toBe(MIB)
    body.close()
    expect(room.heldBytes).toBe(0)
  })
})
