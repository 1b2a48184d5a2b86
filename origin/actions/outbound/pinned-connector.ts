import { isIP, connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { canonicalAddress } from './host-port.ts'
import { OutboundError } from './outbound-error.ts'
import type { Target } from './target.ts'

type ConnectorOptions = {
  target: Target
  /** Addresses that were checked. The connector never connects to any other address. */
  addresses: readonly string[]
  secureContext: SecureContext
  connectMs: number
  /**
   * Set to which every socket is added as soon as it is created, so that all sockets can be closed when the run ends.
   */
  sockets: Set<Socket>
}

/** Creates a connector that connects only to checked addresses and does not resolve names. */
export function pinnedConnector(options: ConnectorOptions): buildConnector.connector {
  const { target, addresses, connectMs, sockets } = options
  return (_undici, callback) => {
    const socket = open(options)
    sockets.add(socket)
    const late = () =>
      socket.destroy(
        new OutboundError(`could not connect to ${target.named} within ${connectMs / 1000} s`),
      )
    const timer = setTimeout(late, connectMs)
    let isAnswered = false
    const answer = (...result: Parameters<buildConnector.Callback>) => {
      clearTimeout(timer)
      if (isAnswered) return
      isAnswered = true
      callback(...result)
    }
    socket.setNoDelay(true)
    socket.once(target.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      if (isOneOf(addresses, socket.remoteAddress)) return answer(null, socket)
      socket.destroy(
        new OutboundError(`the connection to ${target.named} reached a different address`),
      )
    })
    socket.on('error', (error) => answer(error, null))
    socket.on('close', () => {
      sockets.delete(socket)
      answer(new OutboundError(`${target.named} closed the connection`), null)
    })
  }
}

function open({ target, addresses, secureContext }: ConnectorOptions): Socket {
  const { url, host, port } = target
  const connectOptions = { host, port, lookup: pinnedLookup(addresses), autoSelectFamily: true }
  if (url.protocol === 'http:') return connectTcp(connectOptions)
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ ...connectOptions, ...name, secureContext, ALPNProtocols: ['http/1.1'] })
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all: wantsAll }, callback) => {
    const [first] = all
    if (wantsAll === true || first === undefined) callback(null, all)
    else callback(null, first.address, first.family)
  }
}

function isOneOf(addresses: readonly string[], address = ''): boolean {
  const canonical = canonicalAddress(address)
  return canonical !== undefined && addresses.some((one) => canonicalAddress(one) === canonical)
}
