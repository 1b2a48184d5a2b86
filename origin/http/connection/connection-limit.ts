import type { Socket } from 'node:net'
import { clientNetwork } from '../../../shared/client-network.ts'

/** The part of all connections that one network may have before it shows a credential, and one account with its keys. */
const SHARE = 1 / 4

/** The holder of the edge's connections: all of its users share them, so they have no share to use up. */
export const EDGE = 'edge'

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined }
type Held = { socket: Socket; peer: Peer; network: string; holder?: string }

/**
 * Bounds the open connections of a process. A connection is trusted once its client has shown a credential. Where there is
 * no room, the oldest connection that is not trusted is closed for the new one: idle connections lock nobody out.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #shareMax: number
  /** By the client's address and port. */
  readonly #held = new Map<string, Held>()
  /** Both in order of age. */
  readonly #untrusted = new Set<Held>()
  readonly #untrustedByNetwork = new Map<string, Set<Held>>()
  readonly #trustedByHolder = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
    this.#shareMax = Math.ceil(max * SHARE)
  }

  /** @returns false if all connections are trusted: the new one has to be closed */
  admit(socket: Socket): boolean {
    const network = clientNetwork(socket.remoteAddress ?? '')
    const ofNetwork = this.#untrustedByNetwork.get(network)
    const isNetworkFull = ofNetwork !== undefined && ofNetwork.size >= this.#shareMax
    if (isNetworkFull || this.#held.size >= this.#max) {
      const [oldest] = isNetworkFull ? ofNetwork : this.#untrusted
      if (!oldest) return false
      this.#forget(oldest)
      oldest.socket.destroy()
    }
    // Kept: a socket that is closed has no address any more.
    const peer = { remoteAddress: socket.remoteAddress, remotePort: socket.remotePort }
    const held = { socket, peer, network }
    this.#held.set(peerOf(peer), held)
    this.#untrusted.add(held)
    const already = this.#untrustedByNetwork.get(network) ?? new Set()
    this.#untrustedByNetwork.set(network, already.add(held))
    socket.once('close', () => this.#forget(held))
    return true
  }

  /**
   * Trusts a connection from now on, unless its holder has used up its share.
   * @param holder the account whose key was shown, or `EDGE`
   */
  trust(peer: Peer, holder: string): boolean {
    const held = this.#held.get(peerOf(peer))
    const count = this.#trustedByHolder.get(holder) ?? 0
    if (!held || (holder !== EDGE && count >= this.#shareMax)) return false
    this.#trustedByHolder.set(holder, count + 1)
    held.holder = holder
    this.#removeUntrusted(held)
    return true
  }

  #forget(held: Held): void {
    const peer = peerOf(held.peer)
    if (this.#held.get(peer) !== held) return
    this.#held.delete(peer)
    if (held.holder === undefined) this.#removeUntrusted(held)
    else decrement(this.#trustedByHolder, held.holder)
  }

  #removeUntrusted(held: Held): void {
    this.#untrusted.delete(held)
    const ofNetwork = this.#untrustedByNetwork.get(held.network)
    ofNetwork?.delete(held)
    if (ofNetwork?.size === 0) this.#untrustedByNetwork.delete(held.network)
  }
}

function decrement(counts: Map<string, number>, name: string): void {
  const count = counts.get(name) ?? 0
  if (count > 1) counts.set(name, count - 1)
  else counts.delete(name)
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}
