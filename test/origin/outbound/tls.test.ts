import { beforeAll, describe, expect, it } from 'vitest'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import { PUBLIC_ONLY } from '../../../origin/actions/outbound/policy.ts'
import { type Authority, makeAuthority } from '../../doubles/certificates.ts'
import { startNameServer } from '../../doubles/name-server.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { answered, closedAfterwards, refused, textOf } from './requests.ts'

let authority: Authority
beforeAll(async () => {
  authority = await makeAuthority()
})

/** A https server of that name at an address that stands for the internet. */
async function serverNamed(
  { names, from, to }: Parameters<Authority['issue']>[0],
  { signer = authority, authorities = [authority.pem] } = {},
) {
  const certificate = await signer.issue({ names, ...(from && { from }), ...(to && { to }) })
  const options = { host: '127.0.0.2', certificate }
  const server = closedAfterwards(
    await startWebServer((_request, response) => response.end('secret kept'), options),
  )
  const nameServer = closedAfterwards(
    await startNameServer(({ type }) => (type === 'A' ? ['127.0.0.2'] : [])),
  )
  const isPublic = (address: string) => address === '127.0.0.2'
  const world = { nameServers: [nameServer.address], isPublic, authorities }
  const run = closedAfterwards(new Outbound(PUBLIC_ONLY, world).forRun())
  return { server, run, url: (host: string) => `https://${host}:${server.port}/` }
}

describe('a certificate', () => {
  it('of a known authority for the name is taken, with and without the dot of the root', async () => {
    const { run, url, server } = await serverNamed({ names: ['bank.example'] })
    expect(textOf(await answered(run, url('bank.example')))).toBe('secret kept')
    const dotted = await answered(run, url('bank.example.'))
    expect(dotted.value.url).toBe(url('bank.example'))
    expect(server.connections()).toBe(1)
  })

  it('for an address is taken for that address', async () => {
    const { run, url } = await serverNamed({ names: ['127.0.0.2'] })
    expect(textOf(await answered(run, url('127.0.0.2')))).toBe('secret kept')
  })

  it('man in the middle: one for another name is refused', async () => {
    const { run, url, server } = await serverNamed({ names: ['attacker.example'] })
    const { message } = await refused(run, url('bank.example'))
    expect(message).toBe(`bank.example:${server.port} has a certificate for another name`)
    expect(server.received).toEqual([])
  })

  it('man in the middle: one of an authority that is not known is refused', async () => {
    const signer = await makeAuthority()
    const { run, url, server } = await serverNamed({ names: ['bank.example'] }, { signer })
    expect((await refused(run, url('bank.example'))).message).toMatch(/has a certificate /)
    expect(server.received).toEqual([])
  })

  it('man in the middle: without other authorities, those of Node are asked, and ours is none of them', async () => {
    const certificate = await authority.issue({ names: ['127.0.0.1'] })
    const server = closedAfterwards(
      await startWebServer((_request, response) => response.end(), { certificate }),
    )
    const policy = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
    const run = closedAfterwards(new Outbound(policy).forRun())
    const { message } = await refused(run, `https://127.0.0.1:${server.port}/`)
    expect(message).toMatch(/has a certificate of an authority that is not known$/)
  })

  it.each([
    ['expired', { from: -3, to: -1 }, /has a certificate that has expired$/],
    ['not valid yet', { from: 1, to: 3 }, /has a certificate that is not valid yet$/],
  ])('that is %s is refused', async (_what, time, message) => {
    const { run, url } = await serverNamed({ names: ['bank.example'], ...time })
    expect((await refused(run, url('bank.example'))).message).toMatch(message)
  })
})

it('a server that speaks no TLS is refused', async () => {
  const server = closedAfterwards(await startWebServer((_request, response) => response.end()))
  const policy = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
  const run = closedAfterwards(new Outbound(policy).forRun())
  const { message } = await refused(run, `https://127.0.0.1:${server.port}/`)
  expect(message).toMatch(/does not speak TLS as it should$/)
})
