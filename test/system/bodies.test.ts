import { connect as connectPlain } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BODY_SMALL_CHUNKS_MAX } from '../../shared/limits.ts'
import { chunk, head, RawRequest } from '../origin/http/served-origin.ts'
import { type StartedStack, startStack } from './stack.ts'

const CONNECTIONS_MAX = 20

let started: StartedStack
let port: number
beforeAll(async () => {
  started = await startStack({
    originSettings: { SVC_CONNECTIONS_MAX: String(CONNECTIONS_MAX) },
  })
  port = Number(new URL(started.baseUrl).port)
})
afterAll(() => started.stop())

it("attack: the stack's origin rejects a body sent in 1-byte chunks", async () => {
  const path = '/core/v1/get_svc_action_ipfs_id'
  const request = new RawRequest(port)
  await request.send(head('POST', path, 'Transfer-Encoding: chunked'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  await request.send(chunk('x').repeat(BODY_SMALL_CHUNKS_MAX + 1))
  const { status, body } = await request.answer()
  expect([status, body.message]).toEqual([400, expect.stringContaining('chunks')])
})

it('attack: idle connections from one address do not lock out other requests', async () => {
  const idle = Array.from({ length: 2 * CONNECTIONS_MAX }, () =>
    connectPlain(port, '127.0.0.1').on('error', () => {}),
  )
  await expect
    .poll(() => idle.filter((socket) => socket.destroyed || !socket.readable).length)
    .toBeGreaterThan(CONNECTIONS_MAX)
  const request = new RawRequest(port)
  await request.send(head('GET', '/core/v1/version'))
  expect((await request.answer()).status).toBe(200)
  request.socket.destroy()
  for (const socket of idle) socket.destroy()
})
