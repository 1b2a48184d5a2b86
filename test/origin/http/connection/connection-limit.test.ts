import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ConnectionLimit, EDGE } from '../../../../origin/http/connection/connection-limit.ts'

let nextPort = 1_024

/** What the limit knows of a socket. */
class Client extends EventEmitter {
  readonly remotePort: number
  remoteAddress: string | undefined
  isClosed = false

  constructor(address: string | undefined, port = nextPort++) {
    super()
    this.remoteAddress = address
    this.remotePort = port
  }

  /** As a socket, which says so later. */
  destroy(): void {
    this.isClosed = true
    this.remoteAddress = undefined
    queueMicrotask(() => this.emit('close'))
  }
}

const admit = (limit: ConnectionLimit, client: Client) => limit.admit(client as unknown as Socket)

function admitted(limit: ConnectionLimit, count: number, address: (n: number) => string): Client[] {
  return Array.from({ length: count }, (_, n) => {
    const client = new Client(address(n))
    expect(admit(limit, client)).toBe(true)
    return client
  })
}

const open = (clients: Client[]) => clients.filter(({ isClosed }) => !isClosed)

describe('the limit of connections', () => {
  it('attack: one network has a quarter of them, and its newest stay', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 12, () => '198.51.100.7')
    expect(open(clients)).toEqual(clients.slice(-5))
  })

  it('attack: addresses of one IPv6 /64 are one network', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 12, (n) => `2001:db8::${n + 1}`)
    expect(open(clients)).toHaveLength(5)
  })

  it('attack: idle connections of many networks make room for a new one, the oldest first', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 25, (n) => `198.51.100.${n}`)
    expect(open(clients)).toEqual(clients.slice(-20))
  })

  it('attack: a flood closes no connection that is trusted', () => {
    const limit = new ConnectionLimit(20)
    const [trusted] = admitted(limit, 1, () => '198.51.100.7')
    expect(limit.trust(trusted!, '0xaccount')).toBe(true)
    admitted(limit, 100, () => '198.51.100.7')
    admitted(limit, 100, (n) => `203.0.113.${n}`)
    expect(trusted!.isClosed).toBe(false)
  })

  it('attack: one account’s keys get a quarter of the connections trusted, the edge any number', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 18, (n) => `198.51.100.${n}`)
    const trusted = clients.map((client, n) => limit.trust(client, n < 9 ? '0xaccount' : EDGE))
    expect(trusted.slice(0, 9).filter(Boolean)).toHaveLength(5)
    expect(trusted.slice(9)).toEqual(Array.from({ length: 9 }, () => true))
  })

  it('gives a share back when a connection is closed', async () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 5, (n) => `198.51.100.${n}`)
    for (const client of clients) expect(limit.trust(client, '0xaccount')).toBe(true)
    const [next] = admitted(limit, 1, () => '198.51.100.200')
    expect(limit.trust(next!, '0xaccount')).toBe(false)
    clients[0]!.destroy()
    await Promise.resolve()
    expect(limit.trust(next!, '0xaccount')).toBe(true)
  })

  it('attack: connections that were reset before they are accepted leave nothing behind', async () => {
    const limit = new ConnectionLimit(20)
    for (let n = 0; n < 100; n++) expect(admit(limit, new Client(undefined))).toBe(false)
    expect(limit.size).toBe(0)
    const clients = admitted(limit, 60, (n) => `198.51.100.${n}`)
    expect(open(clients)).toHaveLength(20)
    for (const client of open(clients)) client.destroy()
    await Promise.resolve()
    expect(limit.size).toBe(0)
  })

  it('attack: a port that is used again before its old connection is closed is counted once', async () => {
    const limit = new ConnectionLimit(20)
    const [first, second] = [1, 2].map(() => new Client('198.51.100.7', 4_000))
    for (const client of [first!, second!]) expect(admit(limit, client)).toBe(true)
    expect(limit.trust(second!, '0xaccount')).toBe(true)
    first!.destroy()
    await Promise.resolve()
    expect(limit.size).toBe(1)
    second!.destroy()
    await Promise.resolve()
    expect(limit.size).toBe(0)
  })

  it('attack: a flood from four networks closes its own connections, and not a new client’s', () => {
    const limit = new ConnectionLimit(20)
    const [honest] = admitted(limit, 1, () => '203.0.113.1')
    admitted(limit, 100, (n) => `198.51.100.${n % 4}`)
    expect(honest!.isClosed).toBe(false)
  })

  it('attack: accounts together leave a quarter to the edge and to new clients', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 20, (n) => `198.51.100.${n}`)
    const trusted = clients.map((client, n) => limit.trust(client, `0xaccount${n % 5}`))
    expect(trusted.filter(Boolean)).toHaveLength(15)
    expect(admit(limit, new Client('203.0.113.1'))).toBe(true)
  })

  it('refuses a new connection where all are trusted', () => {
    const limit = new ConnectionLimit(4)
    for (const client of admitted(limit, 4, (n) => `198.51.100.${n}`)) limit.trust(client, EDGE)
    expect(admit(limit, new Client('203.0.113.1'))).toBe(false)
  })
})
