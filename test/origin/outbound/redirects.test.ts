import { describe, expect, it } from 'vitest'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import { startNameServer } from '../../doubles/name-server.ts'
import { startWebServer, type Received } from '../../doubles/web-server.ts'
import { answered, closedAfterwards, refused, runWith, serving, textOf } from './requests.ts'

/** Redirects `/<status>?<location>`, and responds to any other request with what it received. */
const redirecting = () =>
  serving((request, response) => {
    const [, status, location] = /^\/(3\d\d)\?(.*)$/.exec(request.url) ?? []
    if (status === undefined || location === undefined) response.end(JSON.stringify(request))
    else response.writeHead(Number(status), { location: decodeURIComponent(location) }).end('moved')
  })

const to = (location: string, status = 302) => `/${status}?${encodeURIComponent(location)}`
const receivedIn = (text: string) => JSON.parse(text) as Received

describe('a redirect is checked like the first request', () => {
  it.each([
    ['loopback', 'http://127.0.0.1:1234/'],
    ['a decimal spelling', 'http://2130706433:1234/'],
    ['metadata', 'http://169.254.169.254/latest/'],
    ['a private network', '//10.0.0.1/'],
    ['mapped IPv6', 'http://[::ffff:10.0.0.1]/'],
    ['a local name', 'http://metadata.google.internal/'],
    ['localhost', 'http://localhost:1234/'],
    ['a file', 'file:///etc/passwd'],
    ['another scheme', 'gopher://127.0.0.1:6379/_FLUSHALL'],
    ['data', 'data:text/plain,x'],
    ['credentials', 'https://user:secret@example.com/'],
    ['a blocked port', 'http://example.com:25/'],
    ['no URL', 'http://['],
    ['a URL beyond the limit', `/${'x'.repeat(8192)}`],
  ])('redirect to %s is rejected', async (_what, location) => {
    const { run, url } = await redirecting()
    const { message } = await refused(run, url + to(location))
    expect(message).not.toContain('secret')
    expect(message).toMatch(/public|only http|credentials|blocked|invalid URL|longer/)
  })

  it('a redirect to a name that resolves to a private address is rejected', async () => {
    const names = closedAfterwards(
      await startNameServer(({ type }) => (type === 'A' ? ['10.0.0.1'] : [])),
    )
    const { server, url } = await redirecting()
    const allow = [{ host: '127.0.0.1', port: server.port }]
    const world = { nameServers: [names.address] }
    const run = closedAfterwards(new Outbound({ allow, deny: [] }, world).forRun())
    const { message } = await refused(run, url + to('http://inside.attacker.example/'))
    expect(message).toMatch(/^inside\.attacker\.example resolves to a non-public address/)
  })
})

describe('a redirect', () => {
  it('is followed, counted, and reported in the response', async () => {
    const { run, url } = await redirecting()
    const { value } = await answered(run, url + to(to('/end?x=1')))
    expect(value).toMatchObject({ status: 200, url: `${url}/end?x=1`, redirected: true })
    expect(run.count).toBe(3)
  })

  it('is returned as the response in "manual" mode', async () => {
    const { run, url } = await redirecting()
    const answer = await answered(run, url + to('http://10.0.0.1/'), { redirect: 'manual' })
    expect(answer.value).toMatchObject({ status: 302, redirected: false })
    expect(answer.value.headers).toContainEqual(['location', 'http://10.0.0.1/'])
    expect(textOf(answer)).toBe('moved')
    expect(run.count).toBe(1)
  })

  it('causes an error in "error" mode', async () => {
    const { run, url } = await redirecting()
    const { message } = await refused(run, url + to('/end'), { redirect: 'error' })
    expect(message).toMatch(/redirects, but the request's redirect mode is "error"$/)
    expect(run.count).toBe(1)
  })

  it('without a location is returned as the response, and so is a 304', async () => {
    const { run, url } = await serving((request, response) =>
      response.writeHead(Number(request.url.slice(1))).end(),
    )
    expect((await answered(run, `${url}/302`)).value.status).toBe(302)
    expect((await answered(run, `${url}/304`)).value.status).toBe(304)
  })

  it('loop ends after twenty redirects', async () => {
    const { server, run, url } = await serving((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    )
    const { message } = await refused(run, url)
    expect(message).toMatch(/^more than 20 redirects, the last one from 127/)
    expect(server.received).toHaveLength(21)
    expect(run.count).toBe(21)
  })

  it('chains cannot exceed the fifty requests of a run', async () => {
    const { server, run, url } = await serving((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    )
    await refused(run, url)
    await refused(run, url)
    const third = await refused(run, url)
    expect(third.code).toBe('outbound_limit')
    expect(server.received).toHaveLength(50)
  })

  it('does not send the fragment of the request', async () => {
    const { server, run, url } = await redirecting()
    await answered(run, `${url}${to('/end')}#secret`)
    expect(server.received.map((request) => request.url).join()).not.toContain('secret')
  })
})

describe('the request after a redirect (Fetch standard, HTTP-redirect fetch)', () => {
  const body = {
    body: 'data',
    headers: [
      ['content-type', 'text/plain'],
      ['x-own', '1'],
    ] as [string, string][],
  }

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', 'data'],
    [302, 'DELETE', 'DELETE', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'POST', 'POST', 'data'],
  ])('%i of a %s becomes a %s with the body %j', async (status, method, becomes, text) => {
    const { run, url } = await redirecting()
    const end = receivedIn(
      textOf(await answered(run, url + to('/end', status), { method, ...body })),
    )
    expect(end).toMatchObject({ method: becomes, body: text })
    expect(end.headers['content-type']).toBe(text === '' ? undefined : 'text/plain')
    expect(end.headers['x-own']).toBe('1')
  })

  it('303 of a HEAD stays a HEAD', async () => {
    const { server, run, url } = await redirecting()
    await answered(run, url + to('/end', 303), { method: 'HEAD' })
    expect(server.received.map(({ method }) => method)).toEqual(['HEAD', 'HEAD'])
  })

  const secrets: [string, string][] = [
    ['Authorization', 'Bearer t'],
    ['Cookie', 'a=1'],
    ['x-own', '1'],
  ]

  it('credential theft: authorization and cookie are not sent to another origin', async () => {
    const thief = closedAfterwards(
      await startWebServer((_request, response) => response.end('got it')),
    )
    const { server, url } = await redirecting()
    const run = runWith([server.port, thief.port])
    await answered(run, url + to(`http://127.0.0.1:${thief.port}/`), { headers: secrets })
    const [{ headers }] = thief.received as [Received]
    expect(headers).toMatchObject({ 'x-own': '1' })
    expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined])
  })

  it('authorization and cookie are kept within the same origin', async () => {
    const { run, url } = await redirecting()
    const end = receivedIn(textOf(await answered(run, url + to('/end'), { headers: secrets })))
    expect(end.headers).toMatchObject({ authorization: 'Bearer t', cookie: 'a=1' })
  })
})
