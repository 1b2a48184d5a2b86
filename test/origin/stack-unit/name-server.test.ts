import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalNameServer, startNameServer } from '../../../origin/stack/name-server.ts'

const ACCOUNT = 'https://localhost:8788/acme/acct/1'

let server: LocalNameServer
const names = new Resolver({ timeout: 5_000, tries: 2 })
beforeAll(async () => {
  server = await startNameServer('localhost', ACCOUNT)
  names.setServers([server.address])
})
afterAll(() => server.close())

it('binds the domain to the account, in upper and lower case', async () => {
  for (const name of ['localhost', 'LocalHost']) {
    const [record] = await names.resolveCaa(name)
    expect(record).toMatchObject({ critical: 0, issue: expect.stringContaining(ACCOUNT) })
  }
})

it('has no other record of the domain', async () => {
  await expect(names.resolveCname('localhost')).rejects.toMatchObject({ code: 'ENODATA' })
})

it('refuses queries for other domains', async () => {
  await expect(names.resolveCaa('example.org')).rejects.toMatchObject({ code: 'EREFUSED' })
})

it('survives malformed queries', async () => {
  const socket = createSocket('udp4')
  const [ip = '', port = ''] = server.address.split(':')
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(12), Buffer.alloc(600, 0xff)])
    await new Promise((sent) => socket.send(bytes, Number(port), ip, sent))
  socket.close()
  expect(await names.resolveCaa('localhost')).toHaveLength(1)
})
