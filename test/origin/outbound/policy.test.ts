import { describe, expect, it } from 'vitest'
import { ownServices, parseAllowed, parseDenied } from '../../../origin/actions/outbound/policy.ts'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { answered, closedAfterwards, textOf } from './requests.ts'

describe('the operator’s entries', () => {
  it('are normalized hosts and ports', () => {
    expect(parseAllowed('localhost:8545, 127.1:80,[::1]:9000 ,Anvil:1,')).toEqual([
      { host: 'localhost', port: 8545 },
      { host: '127.0.0.1', port: 80 },
      { host: '::1', port: 9000 },
      { host: 'anvil', port: 1 },
    ])
    expect(parseAllowed('')).toEqual([])
  })

  it.each([
    'localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    ':80',
    'http://localhost:80',
    '::1',
    'a:b:80',
    '[::1',
    'u@h:80',
    'h:80/x',
    '1.2.3.4.5:80',
    'a b:80',
  ])('%j is not a valid allow-list entry', (text) => {
    expect(parseAllowed(`localhost:1,${text}`)).toBeUndefined()
  })

  it('in the deny list may omit the port', () => {
    expect(parseDenied('edge.example,DB.example:5432')).toEqual([
      { host: 'edge.example', port: null },
      { host: 'db.example', port: 5432 },
    ])
    expect(parseDenied('https://edge.example')).toBeUndefined()
  })
})

it('services of the deployment are derived from their URLs', () => {
  const urls = [
    'https://API.svc.example',
    'https://localhost:8788/',
    'postgres://user:secret@DB.example/svc',
    'postgresql://user:secret@10.0.0.1:6432/svc',
    'postgres:///svc?host=/run/postgresql',
    undefined,
  ]
  expect(ownServices(urls)).toEqual([
    { host: 'api.svc.example', port: 443 },
    { host: 'localhost', port: 8788 },
    { host: 'db.example', port: 5432 },
    { host: '10.0.0.1', port: 6432 },
  ])
})

it('an IPv6 address can be allowed', async () => {
  const server = closedAfterwards(
    await startWebServer((_request, response) => response.end('six'), { host: '::1' }),
  )
  const allow = parseAllowed(`[::1]:${server.port}`)!
  const run = closedAfterwards(new Outbound({ allow, deny: [] }).forRun())
  expect(textOf(await answered(run, `http://[0::1]:${server.port}/`))).toBe('six')
})
