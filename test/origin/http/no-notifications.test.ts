/** The API sends no webhooks or notifications. */
import { once } from 'node:events'
import { createServer, Socket, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { operations } from '../../../origin/http/operations.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { POLICY, VALID_REQUESTS } from './valid-requests.ts'

/** Ports and Unix sockets to which any client in this process connects. The connections are still made. */
const connected = new Set<string>()

let origin: TestOrigin
/** A server that a caller would like to be notified at. */
let listener: { url: string; port: number; called: number; close: () => void }
beforeAll(async () => {
  const connect = Reflect.get(Socket.prototype, 'connect') as (...args: any[]) => Socket
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: any[]) {
    const [first] = args.flat()
    connected.add(String(typeof first === 'object' ? (first.path ?? first.port) : first))
    return Reflect.apply(connect, this, args)
  })
  origin = await startOrigin()
  const server = createServer((socket) => {
    listener.called++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/notify`
  listener = { url, port, called: 0, close: () => server.close() }
})
afterAll(async () => {
  listener.close()
  await origin.close()
  vi.restoreAllMocks()
})

/** Puts the address into every free text, and into fields that other APIs use for callbacks. */
function asking(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { url } = listener
  const texts = Object.keys(body).filter((field) => /(name|description)$/.test(field))
  return {
    ...body,
    ...Object.fromEntries(texts.map((field) => [field, url])),
    callback_url: url,
    webhook_url: url,
    notification_url: url,
    notify: [url],
    url,
  }
}

it('the origin connects to its chain and its database only, whatever is requested', async () => {
  let key = await origin.account()
  const { pkp_id: pkpId } = await origin.policyWallet(key, POLICY)
  const group = await origin.group(key, {})
  const usage = await origin.usageKey(key, {})
  const cid = (await origin.core('get_svc_action_ipfs_id', { body: listener.url })).body
  const transaction = await origin.transaction(key, pkpId)
  const known = { group, pkpId, cid, usageKeyHash: origin.hashOf(usage), transaction }
  const removes = ({ path }: { path: string }) => /remove|delete|rotate/.test(path)
  // Operations with a wallet signature are tested in wallet-auth.test.ts. They query the same chain and nothing else.
  const withKey = operations.filter(({ auth }) => auth !== 'wallet_signature')
  for (const { path, method } of [
    ...withKey.filter((operation) => !removes(operation)),
    ...withKey.filter(removes),
  ]) {
    const { body, query = '' } = VALID_REQUESTS[path]!(known)
    // Only its wallet can write a converted account, so another account is converted.
    const by = path.includes('convert_to') ? await origin.account() : key
    const sent = {
      key: by,
      method,
      // A transaction with unknown members is rejected.
      body: path.endsWith('/send_transaction') ? body : asking(body),
      headers: { 'x-callback-url': listener.url },
    }
    const answer = await origin.call(`${path}${query}`, sent)
    expect([200, 404, 409, 503], path).toContain(answer.status)
    if (path.includes('rotate')) key = answer.body.api_key
  }
  const throws = 'async function main() { throw new Error("no") }'
  expect((await origin.run(key, throws, { callback_url: listener.url })).status).toBe(500)
  await sleep(500)
  const chain = new URL(origin.rpcUrl).port
  const { host, port } = Object.fromEntries(new URL(origin.database.url).searchParams)
  expect(connected).toEqual(new Set([chain, `${host}/.s.PGSQL.${port}`]))
  expect(listener.called).toBe(0)
})

it('a notification would have been detected', async () => {
  await fetch(listener.url).catch(() => {})
  expect(connected).toContain(String(listener.port))
  expect(listener.called).toBe(1)
})
