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

/** Starts an HTTPS server with a certificate for these names, at an address that stands for the internet. */
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
  it('of a known authority is accepted for its name, with and without a trailing dot', async () => {
    const { run, url, server } = await serverNamed({ names: ['bank.example'] })
    expect(textOf(await answered(run, url('bank.example')))).toBe('secret kept')
    const dotted = await answered(run, url('bank.example.'))
    expect(dotted.value.url).toBe(url('bank.example'))
    expect(server.connections()).toBe(1)
  })

  it('for an address is accepted for that address', async () => {
    const { run, url } = await serverNamed({ names: ['127.0.0.2'] })
    expect(textOf(await answered(run, url('127.0.0.2')))).toBe('secret kept')
  })

  it('man in the middle: is rejected if it is for another name', async () => {
    const { run, url, server } = await serverNamed({ names: ['attacker.example'] })
    const { message } = await refused(run, url('bank.example'))
    expect(message).toBe(`bank.example:${server.port} has a certificate for a different name`)
    expect(server.received).toEqual([])
  })

  it('man in the middle: is rejected if its authority is unknown', async () => {
    const signer = await makeAuthority()
    const { run, url, server } = await serverNamed({ names: ['bank.example'] }, { signer })
    expect((await refused(run, url('bank.example'))).message).toMatch(/has an invalid certificate$/)
    expect(server.received).toEqual([])
  })

  it('man in the middle: only Node’s authorities are trusted by default', async () => {
    const certificate = await authority.issue({ names: ['127.0.0.1'] })
    const server = closedAfterwards(
      await startWebServer((_request, response) => response.end(), { certificate }),
    )
    const policy = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
    const run = closedAfterwards(new Outbound(policy).forRun())
    const { message } = await refused(run, `https://127.0.0.1:${server.port}/`)
    expect(message).toMatch(/has a certificate from an unknown authority$/)
  })

  it.each([
    ['expired', { from: -3, to: -1 }, /has an expired certificate$/],
    ['not valid yet', { from: 1, to: 3 }, /has a certificate that is not valid yet$/],
  ])('that is %s is rejected', async (_what, time, message) => {
    const { run, url } = await serverNamed({ names: ['bank.example'], ...time })
    expect((await refused(run, url('bank.example'))).message).toMatch(message)
  })
})

it('a server that does not speak TLS is rejected', async () => {
  const server = closedAfterwards(await startWebServer((_request, response) => response.end()))
  const policy = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
  const run = closedAfterwards(new Outbound(policy).forRun())
  const { message } = await refused(run, `https://127.0.0.1:${server.port}/`)
  expect(message).toMatch(/does not speak TLS correctly$/)
})
