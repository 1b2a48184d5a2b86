import type { Socket } from 'node:net'
import { clientNetwork } from '../../../shared/network/client-network.ts'

/** Maximum share of all connections for one unauthenticated network, or for one account with all its keys. */
const SHARE = 1 / 4

/**
 * Maximum share of connections for all accounts together. The rest is reserved for the edge and for unauthenticated
 * clients.
 */
const ACCOUNTS_SHARE = 3 / 4

/** Holder name of the edge. The edge serves all its users, so no share limits its connections. */
export const EDGE_HOLDER = 'edge'

type Peer = { remoteAddress?: string | undefined; remotePort?: number | undefined }
type OpenConnection = { socket: Socket; peer: Peer; network: string; holder?: string }

/**
 * Limits the number of open connections. A connection is trusted once its client is authenticated. At the limit, a new
 * connection evicts an untrusted one: the oldest of the network with the most untrusted connections.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #shareMax: number
  readonly #accountsMax: number
  readonly #open = new Set<OpenConnection>()
  readonly #byPeer = new Map<string, OpenConnection>()
  /** Untrusted connections by network, oldest first. */
  readonly #untrusted = new Map<string, Set<OpenConnection>>()
  readonly #trusted = new Map<string, number>()
  #accountsTrusted = 0

  constructor(max: number) {
    this.#max = max
    this.#shareMax = Math.ceil(max * SHARE)
    this.#accountsMax = Math.floor(max * ACCOUNTS_SHARE)
  }

  /**
   * @returns false if the caller must close the connection, because its socket is already closed or all open
   * connections are trusted
   */
  admit(socket: Socket): boolean {
    const { remoteAddress, remotePort } = socket
    if (remoteAddress === undefined) return false
    const network = clientNetwork(remoteAddress)
    const isNetworkFull = (this.#untrusted.get(network)?.size ?? 0) >= this.#shareMax
    if (isNetworkFull) this.#evictFrom(network)
    else if (this.#open.size >= this.#max && !this.#evictFrom(this.#largestNetwork())) return false
    // Store the address, because a closed socket no longer has one.
    const held = { socket, peer: { remoteAddress, remotePort }, network }
    this.#open.add(held)
    this.#byPeer.set(peerKey(held.peer), held)
    this.#untrusted.set(network, (this.#untrusted.get(network) ?? new Set()).add(held))
    socket.once('close', () => this.#forget(held))
    return true
  }

  /**
   * Marks a connection as trusted, unless its holder, or all accounts together, have used up their share.
   * @param holder hash of the account to which the request's key belongs, or `EDGE_HOLDER`
   * @returns true if the connection is now trusted
   */
  trust(peer: Peer, holder: string): boolean {
    const held = this.#byPeer.get(peerKey(peer))
    if (!held || held.holder !== undefined) return false
    const count = this.#trusted.get(holder) ?? 0
    const isFull = count >= this.#shareMax || this.#accountsTrusted >= this.#accountsMax
    if (holder !== EDGE_HOLDER && isFull) return false
    this.#removeUntrusted(held)
    this.#trusted.set(holder, count + 1)
    held.holder = holder
    if (holder !== EDGE_HOLDER) this.#accountsTrusted++
    return true
  }

  get size(): number {
    return this.#open.size
  }

  #largestNetwork(): string | undefined {
    let largest: string | undefined
    let most = 0
    for (const [network, { size }] of this.#untrusted)
      if (size > most) [largest, most] = [network, size]
    return largest
  }

  /** @returns false if the network has no untrusted connection */
  #evictFrom(network: string | undefined): boolean {
    const [oldest] = (network !== undefined && this.#untrusted.get(network)) || []
    if (!oldest) return false
    this.#forget(oldest)
    oldest.socket.destroy()
    return true
  }

  #forget(held: OpenConnection): void {
    if (!this.#open.delete(held)) return
    const peer = peerKey(held.peer)
    if (this.#byPeer.get(peer) === held) this.#byPeer.delete(peer)
    const { holder } = held
    if (holder === undefined) return this.#removeUntrusted(held)
    decrement(this.#trusted, holder)
    if (holder !== EDGE_HOLDER) this.#accountsTrusted--
  }

  #removeUntrusted(held: OpenConnection): void {
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

function peerKey({ remoteAddress = '', remotePort = 0 }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}
