import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import { PUBLIC_ONLY } from '../../../origin/actions/outbound/policy.ts'
import type { NameServer } from '../../doubles/name-server.ts'
import { startNameServer } from '../../doubles/name-server.ts'
import { refused } from './requests.ts'

/** URLs with which an action might try to reach forbidden hosts. */
const REFUSED: Record<string, string[]> = {
  'loopback IPv4': [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0x0.0x0.0x1/',
    'http://0177.0.0.1/',
    'http://0177.0.0.01/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://0X7F.1/',
    'http://127.255.255.254/',
    'http://%31%32%37.0.0.1/',
    'http://127%2E0%2E0%2E1/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http:\\\\127.0.0.1\\',
    'http:///127.0.0.1/',
    'http:127.0.0.1',
    'hTTp://127.0.0.1/',
    ' \thttp://127.0.0.1/',
    'http://127.0.0.1\t/',
    'http://127.0.\n0.1/',
    'http://127.0.0.1:8080/',
    'https://127.0.0.1/',
  ],
  'this network': ['http://0.0.0.0/', 'http://0/', 'http://0x0/', 'http://0.1.2.3/'],
  'private IPv4': [
    'http://10.0.0.1/',
    'http://10.1/',
    'http://167772161/',
    'http://0xa000001/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://192.168.257/',
    'http://3232235777/',
    'http://0300.0250.1.1/',
  ],
  metadata: [
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
    'http://metadata.google.internal/',
    'http://instance-data/',
  ],
  'IPv4 for special purposes': [
    'http://100.64.0.1/',
    'http://192.0.2.1/',
    'http://192.88.99.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://239.255.255.250/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
  ],
  'loopback and unspecified IPv6': [
    'http://[::1]/',
    'http://[::]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'http://[::0001]/',
  ],
  'IPv4 inside IPv6': [
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::FFFF:7F00:0001]/',
    'http://[0:0:0:0:0:ffff:10.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:7f00:1::]/',
    'http://[::ffff:8.8.8.8]/',
  ],
  'IPv6 for special purposes': [
    'http://[fe80::1]/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fdff:ffff::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[2001:2::1]/',
    'http://[2001:10::1]/',
    'http://[2001:20::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://[4000::1]/',
  ],
  'local names': [
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://LocalHost:8788/',
    'http://a.localhost/',
    'http://a.b.localhost./',
    'http://%6cocalhost/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://ⓛocalhost/',
    'http://loc\u00adalhost/',
    'http://loc\u200balhost/',
    'http://localhost.localdomain/',
    'http://printer.local/',
    'http://db.internal/',
    'http://DB.Internal./',
    'http://router.home.arpa/',
    'http://nas.lan/',
    'http://wiki.corp/',
    'http://intranet/',
    'http://kubernetes.default.svc.cluster.local/',
  ],
  'credentials in the URL': [
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://example.com%40@127.0.0.1/',
    'https://example.com@127.0.0.1/',
  ],
  'other schemes, and no URL': [
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'data:text/plain,x',
    'blob:https://example.com/x',
    'javascript:alert(1)',
    'ws://example.com/',
    'unix:/var/run/docker.sock',
    'about:blank',
    '//127.0.0.1/',
    '/etc/passwd',
    'http://',
    'http://[::1',
    'http://1.2.3.4.5/',
    'http://256.0.0.1/',
    'http://exa mple.com/',
    'http://a\0b.com/',
    '',
  ],
  'ports of other protocols': [
    'http://example.com:22/',
    'http://example.com:25/',
    'https://example.com:587/',
    'http://example.com:6667/',
    'http://example.com:0/',
    'http://example.com:65536/',
  ],
}

const outbound = new Outbound(PUBLIC_ONLY)
let nameServer: NameServer
beforeAll(async () => {
  nameServer = await startNameServer(() => 'unknown')
})
afterAll(() => nameServer.close())

describe.each(Object.entries(REFUSED))('%s', (_kind, urls) => {
  it.each(urls)('%j is rejected without a DNS query', async (url) => {
    const run = new Outbound(PUBLIC_ONLY, { nameServers: [nameServer.address] }).forRun()
    const before = nameServer.asked.length
    const { message } = await refused(run, url)
    expect(message).not.toContain('does not resolve')
    expect(message).not.toContain('failed')
    expect(nameServer.asked.length).toBe(before)
    run.close()
  })
})

it('the table has more than 120 spellings', () => {
  expect(new Set(Object.values(REFUSED).flat()).size).toBeGreaterThan(120)
})

it('a URL of 8,192 characters is accepted, and one more is rejected', async () => {
  const run = outbound.forRun()
  const start = 'http://127.0.0.1/'
  const longest = await refused(run, start.padEnd(8192, 'x'))
  expect(longest.message).toContain('not a public address')
  const longer = await refused(run, start.padEnd(8193, 'x'))
  expect(longer.message).toBe('the URL is longer than 8192 characters')
  const grown = await refused(run, `${start}${'é'.repeat(4000)}`)
  expect(grown.message).toBe('the URL is longer than 8192 characters')
  run.close()
})
