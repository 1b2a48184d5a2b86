import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Chain, ChainUnavailable, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'

/** A node that says which chain it is of, and then never answers anything. */
let server: Server
let chain: Chain
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const asked = [JSON.parse(text)].flat() as { id: number; method: string }[]
      if (asked.some(({ method }) => method !== 'eth_chainId')) return
      const answers = asked.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x7a69' }))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(text.startsWith('[') ? answers : answers[0]))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  chain = await connectChain(`http://127.0.0.1:${port}`, {
    address: `0x${'11'.repeat(20)}`,
    block: 0,
  })
})
afterAll(() => {
  chain.provider.destroy()
  server.closeAllConnections()
  server.close()
})

it('standstill: writes that wait behind a chain that does not answer fail with the first of them', async () => {
  const mirror = new AccountsMirror({ chain, pollMs: 1_000, now: Date.now, onFailure: () => {} })
  const writer = new AccountsWriter(chain, mirror, `0x${'22'.repeat(32)}`)
  const began = performance.now()
  const writes = Array.from({ length: 12 }, () => writer.write('setNodeConfiguration', ['a', 'b']))
  for (const write of await Promise.allSettled(writes))
    expect(write).toMatchObject({ status: 'rejected', reason: expect.any(ChainUnavailable) })
  // One time-out of 5 s, where twelve in a line were a minute.
  expect(performance.now() - began).toBeLessThan(20_000)
})
