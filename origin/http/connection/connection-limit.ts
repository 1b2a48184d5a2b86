import type { Socket } from 'node:net'
import { clientNetwork } from '../../../shared/client-network.ts'

/** The part of all connections that one network may have before it shows a credential, and one account with its keys. */
const SHARE = 1 / 4

/** The part of all connections that accounts may have together. The rest is for the edge, and for clients not known yet. */
const ACCOUNTS_SHARE = 3 / 4

/** The holder of the edge's connections: all of its users share them, so they have no share to use up. */
export const EDGE = 'edge'

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined }
type Held = { socket: Socket; peer: Peer; network: string; holder?: string }

/**
 * Bounds the open connections of a process. A connection is trusted once its client has shown a credential. Where there is
 * no room, one that is not trusted is closed for the new one: the oldest of the network that has most of them.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #shareMax: number
  readonly #accountsMax: number
  readonly #open = new Set<Held>()
  /** By the client's address and port. */
  readonly #byPeer = new Map<string, Held>()
  /** Those that are not trusted, of each network, oldest first. */
  readonly #untrusted = new Map<string, Set<Held>>()
  /** How many are trusted, of each holder. */
  readonly #trusted = new Map<string, number>()
  #ofAccounts = 0

  constructor(max: number) {
    this.#max = max
    this.#shareMax = Math.ceil(max * SHARE)
    this.#accountsMax = Math.floor(max * ACCOUNTS_SHARE)
  }

  /** @returns false if the new connection has to be closed: it is gone already, or all are trusted */
  admit(socket: Socket): boolean {
    const { remoteAddress, remotePort } = socket
    if (remoteAddress === undefined) return false
    const network = clientNetwork(remoteAddress)
    const isNetworkFull = (this.#untrusted.get(network)?.size ?? 0) >= this.#shareMax
    if (isNetworkFull) this.#evictFrom(network)
    else if (this.#open.size >= this.#max && !this.#evictFrom(this.#largestNetwork())) return false
    // Kept: a socket that is closed has no address any more.
    const held = { socket, peer: { remoteAddress, remotePort }, network }
    this.#open.add(held)
    this.#byPeer.set(peerOf(held.peer), held)
    this.#untrusted.set(network, (this.#untrusted.get(network) ?? new Set()).add(held))
    socket.once('close', () => this.#forget(held))
    return true
  }

  /**
   * Trusts a connection from now on, unless its holder or accounts together have used up their share.
   * @param holder the account whose key was shown, or `EDGE`
   */
  trust(peer: Peer, holder: string): boolean {
    const held = this.#byPeer.get(peerOf(peer))
    if (!held || held.holder !== undefined) return false
    const count = this.#trusted.get(holder) ?? 0
    const isFull = count >= this.#shareMax || this.#ofAccounts >= this.#accountsMax
    if (holder !== EDGE && isFull) return false
    this.#removeUntrusted(held)
    this.#trusted.set(holder, count + 1)
    held.holder = holder
    if (holder !== EDGE) this.#ofAccounts++
    return true
  }

  /** Connections that are open. */
  get size(): number {
    return this.#open.size
  }

  /** The network with the most connections that are not trusted. */
  #largestNetwork(): string | undefined {
    let largest: string | undefined
    let most = 0
    for (const [network, { size }] of this.#untrusted)
      if (size > most) [largest, most] = [network, size]
    return largest
  }

  /** Closes the oldest connection of a network that is not trusted. @returns false where there is none */
  #evictFrom(network: string | undefined): boolean {
    const [oldest] = (network !== undefined && this.#untrusted.get(network)) || []
    if (!oldest) return false
    this.#forget(oldest)
    oldest.socket.destroy()
    return true
  }

  #forget(held: Held): void {
    if (!this.#open.delete(held)) return
    const peer = peerOf(held.peer)
    if (this.#byPeer.get(peer) === held) this.#byPeer.delete(peer)
    const { holder } = held
    if (holder === undefined) return this.#removeUntrusted(held)
    decrement(this.#trusted, holder)
    if (holder !== EDGE) this.#ofAccounts--
  }

  #removeUntrusted(held: Held): void {
    const ofNetwork = this.#untrusted.get(held.network)
    ofNetwork?.delete(held)
    if (ofNetwork?.size === 0) this.#untrusted.delete(held.network)
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
