import { connect, type TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BODY_SMALL_PIECES_MAX } from '../../shared/limits.ts'
import { chunk, head, RawRequest } from '../origin/http/served-origin.ts'
import { type StartedStack, startStack } from './stack.ts'

const CONNECTIONS_MAX = 20

let started: StartedStack
let port: number
beforeAll(async () => {
  started = await startStack({ SVC_CONNECTIONS_MAX: String(CONNECTIONS_MAX) })
  port = Number(new URL(started.baseUrl).port)
})
afterAll(() => started.stop())

it('attack: 1-byte chunks are refused by the origin that the stack starts', async () => {
  const path = '/core/v1/get_svc_action_ipfs_id'
  const request = new RawRequest(port)
  await request.send(head('POST', path, 'Transfer-Encoding: chunked'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  await request.send(chunk('x').repeat(BODY_SMALL_PIECES_MAX + 1))
  const { status, body } = await request.answer()
  expect([status, body.message]).toEqual([400, expect.stringContaining('pieces')])
})

it('attack: more connections than the setting allows are closed, and freed ones are taken again', async () => {
  const open = async (): Promise<TLSSocket | undefined> => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    socket.on('error', () => {})
    const isOpen = await Promise.race([
      once(socket, 'secureConnect').then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => socket.once('close', () => resolve(false))),
    ])
    return isOpen ? socket : undefined
  }
  const sockets = await Promise.all(Array.from({ length: 2 * CONNECTIONS_MAX }, open))
  const accepted = sockets.filter((socket) => socket !== undefined)
  expect(accepted.length).toBeLessThanOrEqual(CONNECTIONS_MAX)
  expect(accepted.length).toBeGreaterThan(0)
  for (const socket of accepted) socket.destroy()
  await expect
    .poll(async () => {
      const socket = await open()
      socket?.destroy()
      return socket !== undefined
    })
    .toBe(true)
})
