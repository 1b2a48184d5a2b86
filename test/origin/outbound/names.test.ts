import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import { PUBLIC_ONLY, type OutboundPolicy } from '../../../origin/actions/outbound/policy.ts'
import { isPublicAddress } from '../../../origin/actions/outbound/public-address.ts'
import { type NameAnswer, type Question, startNameServer } from '../../doubles/name-server.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { ask, answered, closedAfterwards, refused, runWith, textOf } from './requests.ts'

/** On this machine, 127.0.0.2 stands for the internet, and 127.0.0.1 remains a private address. */
const PUBLIC_HERE = '127.0.0.2'
const isPublic = (address: string) => address === PUBLIC_HERE || isPublicAddress(address)

async function named(
  answer: (question: Question) => NameAnswer,
  policy: OutboundPolicy = PUBLIC_ONLY,
) {
  const server = closedAfterwards(await startNameServer(answer))
  const world = { nameServers: [server.address], isPublic }
  const outbound = new Outbound(policy, world)
  return { asked: server.asked, newRun: () => closedAfterwards(outbound.forRun()) }
}

const onlyIPv4 =
  (addresses: (nth: number) => string[]) =>
  ({ type, nth }: Question): NameAnswer =>
    type === 'A' ? addresses(nth) : []

const says = (text: string, host: string) =>
  startWebServer((_request, response) => response.end(text), { host })

describe('DNS rebinding', () => {
  it('a name that becomes private after the check still connects to the checked address', async () => {
    const outside = closedAfterwards(await says('the internet', PUBLIC_HERE))
    const { newRun, asked } = await named(
      onlyIPv4((nth) => [nth === 1 ? PUBLIC_HERE : '127.0.0.1']),
    )
    const run = newRun()
    for (let i = 0; i < 3; i++) {
      const answer = await answered(run, `http://rebind.attacker.example:${outside.port}/`)
      expect(textOf(answer)).toBe('the internet')
    }
    expect(asked.filter(({ type }) => type === 'A')).toHaveLength(1)
    const later = await refused(newRun(), `http://rebind.attacker.example:${outside.port}/`)
    expect(later.message).toMatch(/resolves to a non-public address/)
  })

  it('a second connection of the run also uses the address of the first check', async () => {
    const outside = closedAfterwards(
      await startWebServer(
        (_request, response) => response.setHeader('connection', 'close').end('out'),
        {
          host: PUBLIC_HERE,
        },
      ),
    )
    const { newRun } = await named(onlyIPv4((nth) => [nth === 1 ? PUBLIC_HERE : '127.0.0.1']))
    const run = newRun()
    const url = `http://rebind.attacker.example:${outside.port}/`
    const all = await Promise.all([answered(run, url), answered(run, url), answered(run, url)])
    expect(all.map(textOf)).toEqual(['out', 'out', 'out'])
    expect(outside.connections()).toBe(3)
  })

  it('a name with a public and a private address is rejected', async () => {
    const { newRun } = await named(onlyIPv4(() => [PUBLIC_HERE, '10.0.0.1']))
    const { message } = await refused(newRun(), 'http://mixed.attacker.example/')
    expect(message).toMatch(/non-public address/)
  })

  it('a name with a private IPv6 address is rejected', async () => {
    const answer = ({ type }: Question) => (type === 'A' ? [PUBLIC_HERE] : ['fd00::1'])
    const { newRun } = await named(answer)
    const { message } = await refused(newRun(), 'http://mixed.attacker.example/')
    expect(message).toMatch(/non-public address/)
  })
})

describe('a public name that resolves to a private address', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['a private network', '192.168.0.1'],
    ['metadata', '169.254.169.254'],
    ['carrier NAT', '100.64.0.1'],
    ['this network', '0.0.0.0'],
    ['IPv6 loopback', '::1'],
    ['IPv4-mapped IPv6', '::ffff:a00:1'],
    ['a translated address', '64:ff9b::a00:1'],
    ['metadata over IPv6', 'fd00:ec2::254'],
    ['IPv6 link-local', 'fe80::1'],
  ])('is rejected without revealing the address: %s', async (_what, address) => {
    const isV6 = address.includes(':')
    const { newRun } = await named(({ type }) => (type === (isV6 ? 'AAAA' : 'A') ? [address] : []))
    const { message } = await refused(newRun(), 'http://127-0-0-1.nip.example/')
    expect(message).toBe(
      '127-0-0-1.nip.example resolves to a non-public address; actions can reach only public hosts',
    )
  })

  it('is rejected if it is an alias', async () => {
    const alias = { alias: 'db.internal', addresses: ['10.0.0.7'] }
    const { newRun } = await named(({ type }) => (type === 'A' ? alias : []))
    const { message } = await refused(newRun(), 'http://cname.attacker.example/')
    expect(message).toMatch(/^cname\.attacker\.example resolves to a non-public address/)
  })

  it.skipIf(machineAddress() === undefined)(
    'is rejected for this machine’s own address',
    async () => {
      const own = machineAddress()!
      const server = closedAfterwards(await startNameServer(onlyIPv4(() => [own])))
      const world = { nameServers: [server.address], isPublic: () => true }
      const run = closedAfterwards(new Outbound(PUBLIC_ONLY, world).forRun())
      expect((await refused(run, 'http://self.attacker.example/')).message).toMatch(
        /non-public address/,
      )
      expect((await refused(run, `http://${own}/`)).message).toMatch(/not a public address/)
    },
  )
})

describe('a name', () => {
  it('that does not exist is reported as such', async () => {
    const { newRun } = await named(() => 'unknown')
    const { message } = await refused(newRun(), 'https://nowhere.example/')
    expect(message).toBe('nowhere.example does not resolve to an address')
  })

  it('that could not be resolved is resolved again by the next request', async () => {
    const outside = closedAfterwards(await says('back', PUBLIC_HERE))
    let isBack = false
    const { newRun } = await named(({ type }) => {
      if (!isBack) return 'failure'
      return type === 'A' ? [PUBLIC_HERE] : []
    })
    const run = newRun()
    const url = `http://flaky.example:${outside.port}/`
    expect((await refused(run, url)).message).toBe(
      `the name servers did not respond for flaky.example:${outside.port}`,
    )
    isBack = true
    expect(textOf(await answered(run, url))).toBe('back')
  })

  it('is resolved as given: no search domain is appended', async () => {
    const { newRun, asked } = await named(() => 'unknown')
    await ask(newRun(), 'http://db.prod/')
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set(['db.prod']))
  })

  it('without a response from its name servers does not delay the end of the run', async () => {
    const { newRun } = await named(() => 'silence')
    const run = newRun()
    const answer = ask(run, 'http://silent.example/')
    setTimeout(() => run.close(), 50)
    expect(await answer).toEqual({ ok: false, message: 'the request was aborted' })
  })
})

describe('services of the deployment', () => {
  const own = { host: 'api.svc.example', port: 443 }

  it('are rejected by name, in any spelling and on any port', async () => {
    const { newRun } = await named(() => [], { allow: [], deny: [own] })
    for (const url of [
      'https://api.svc.example/core/v1/version',
      'https://API.svc.example./',
      'http://api.svc.example/',
      'https://api.svc.example:8443/',
      'https://%61pi.svc.example/',
    ]) {
      expect((await refused(newRun(), url)).message).toMatch(/is a service of this deployment/)
    }
  })

  it('are rejected under another name for the same address and port', async () => {
    const { newRun } = await named(
      onlyIPv4(() => ['93.184.216.34']),
      { allow: [], deny: [own] },
    )
    const { message } = await refused(newRun(), 'https://alias.attacker.example/')
    expect(message).toBe(
      'alias.attacker.example is a service of this deployment, which actions cannot call',
    )
    expect((await refused(newRun(), 'https://93.184.216.34/')).message).toMatch(
      /of this deployment/,
    )
  })

  it('that are listed without a port do not block other hosts at the same address', async () => {
    const outside = closedAfterwards(await says('a neighbour', PUBLIC_HERE))
    const deny = [{ host: 'edge.svc.example', port: null }]
    const { newRun } = await named(
      onlyIPv4(() => [PUBLIC_HERE]),
      { allow: [], deny },
    )
    const answer = await answered(newRun(), `http://neighbour.example:${outside.port}/`)
    expect(textOf(answer)).toBe('a neighbour')
    expect((await refused(newRun(), 'https://edge.svc.example/')).message).toMatch(/deployment/)
  })

  it('are rejected even if the operator allows the same address', async () => {
    const place = { host: '127.0.0.1', port: 8788 }
    const deny = [{ host: 'localhost', port: 8788 }]
    const run = runWith([], {}, { allow: [place], deny })
    expect((await refused(run, 'https://127.0.0.1:8788/')).message).toMatch(/of this deployment/)
  })
})

describe('the operator’s allow-list', () => {
  it('permits exactly the listed private addresses', async () => {
    const server = closedAfterwards(await says('local', '127.0.0.1'))
    const other = closedAfterwards(await says('other', '127.0.0.1'))
    const run = runWith([server.port])
    expect(textOf(await answered(run, `http://127.0.0.1:${server.port}/`))).toBe('local')
    expect(textOf(await answered(run, `http://0x7f.1:${server.port}/`))).toBe('local')
    for (const place of [
      `127.0.0.1:${other.port}`,
      `localhost:${server.port}`,
      `127.0.0.2:${server.port}`,
    ])
      expect((await refused(run, `http://${place}/`)).message).toMatch(
        /actions can reach only public hosts/,
      )
  })

  it('supports names of the local machine', async () => {
    const server = closedAfterwards(await says('local', '127.0.0.1'))
    const run = runWith([], {}, { allow: [{ host: 'localhost', port: server.port }] })
    expect(textOf(await answered(run, `http://localhost:${server.port}/`))).toBe('local')
  })

  it('does not permit a public name that resolves to a listed address', async () => {
    const server = closedAfterwards(await says('local', '127.0.0.1'))
    const allow = [{ host: '127.0.0.1', port: server.port }]
    const { newRun } = await named(
      onlyIPv4(() => ['127.0.0.1']),
      { allow, deny: [] },
    )
    const { message } = await refused(newRun(), `http://alias.attacker.example:${server.port}/`)
    expect(message).toMatch(/non-public address/)
  })
})

function machineAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
}
