import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  ConnectionLimit,
  EDGE_HOLDER,
} from '../../../../origin/http/connection/connection-limit.ts'

let nextPort = 1_024

/** The properties of a socket that the limit uses. */
class Client extends EventEmitter {
  readonly remotePort: number
  remoteAddress: string | undefined
  isClosed = false

  constructor(address: string | undefined, port = nextPort++) {
    super()
    this.remoteAddress = address
    this.remotePort = port
  }

  /** Emits `close` later, as a socket does. */
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

describe('the connection limit', () => {
  it('attack: gives one network a quarter of the connections, and keeps its newest', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 12, () => '198.51.100.7')
    expect(open(clients)).toEqual(clients.slice(-5))
  })

  it('attack: counts addresses of one IPv6 /64 as one network', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 12, (n) => `2001:db8::${n + 1}`)
    expect(open(clients)).toHaveLength(5)
  })

  it('attack: closes the oldest idle connections of many networks to admit a new one', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 25, (n) => `198.51.100.${n}`)
    expect(open(clients)).toEqual(clients.slice(-20))
  })

  it('attack: closes no trusted connection during a flood', () => {
    const limit = new ConnectionLimit(20)
    const [trusted] = admitted(limit, 1, () => '198.51.100.7')
    expect(limit.trust(trusted!, '0xaccount')).toBe(true)
    admitted(limit, 100, () => '198.51.100.7')
    admitted(limit, 100, (n) => `203.0.113.${n}`)
    expect(trusted!.isClosed).toBe(false)
  })

  it('attack: trusts a quarter of the connections for the keys of one account, and any number for the edge', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 18, (n) => `198.51.100.${n}`)
    const trusted = clients.map((client, n) =>
      limit.trust(client, n < 9 ? '0xaccount' : EDGE_HOLDER),
    )
    expect(trusted.slice(0, 9).filter(Boolean)).toHaveLength(5)
    expect(trusted.slice(9)).toEqual(Array.from({ length: 9 }, () => true))
  })

  it('returns a share when a connection is closed', async () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 5, (n) => `198.51.100.${n}`)
    for (const client of clients) expect(limit.trust(client, '0xaccount')).toBe(true)
    const [next] = admitted(limit, 1, () => '198.51.100.200')
    expect(limit.trust(next!, '0xaccount')).toBe(false)
    clients[0]!.destroy()
    await Promise.resolve()
    expect(limit.trust(next!, '0xaccount')).toBe(true)
  })

  it('attack: leaks nothing for connections that were reset before they were accepted', async () => {
    const limit = new ConnectionLimit(20)
    for (let n = 0; n < 100; n++) expect(admit(limit, new Client(undefined))).toBe(false)
    expect(limit.size).toBe(0)
    const clients = admitted(limit, 60, (n) => `198.51.100.${n}`)
    expect(open(clients)).toHaveLength(20)
    for (const client of open(clients)) client.destroy()
    await Promise.resolve()
    expect(limit.size).toBe(0)
  })

  it('attack: counts a port once if it is reused before its old connection is closed', async () => {
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

  it('attack: closes connections of a flood from four networks, but not a new client’s', () => {
    const limit = new ConnectionLimit(20)
    const [honest] = admitted(limit, 1, () => '203.0.113.1')
    admitted(limit, 100, (n) => `198.51.100.${n % 4}`)
    expect(honest!.isClosed).toBe(false)
  })

  it('attack: trusts accounts with three quarters in total, and leaves the rest to the edge and new clients', () => {
    const limit = new ConnectionLimit(20)
    const clients = admitted(limit, 20, (n) => `198.51.100.${n}`)
    const trusted = clients.map((client, n) => limit.trust(client, `0xaccount${n % 5}`))
    expect(trusted.filter(Boolean)).toHaveLength(15)
    expect(admit(limit, new Client('203.0.113.1'))).toBe(true)
  })

  it('rejects a new connection if all others are trusted', () => {
    const limit = new ConnectionLimit(4)
    for (const client of admitted(limit, 4, (n) => `198.51.100.${n}`))
      limit.trust(client, EDGE_HOLDER)
    expect(admit(limit, new Client('203.0.113.1'))).toBe(false)
  })
})
