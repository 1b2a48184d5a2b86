import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import { HEADER_BYTES_MAX } from './bounds.ts'
import { OriginConnections } from './origin-connections.ts'
import { pinnedConnector } from './pinned-connector.ts'
import type { Target } from './target.ts'
import { createRequire } from 'node:module'
import type { Client as ClientType } from 'undici'

type RunConnectionsOptions = {
  guard: AddressGuard
  secureContext: () => SecureContext
  connectMs: number
}

/**
 * Connections of one run, reused for the run's later requests. A name is resolved and checked only once per run, and
 * all connections to it use the resulting addresses.
 */
export class RunConnections {
  readonly #options: RunConnectionsOptions
  readonly #origins = new Map<string, Promise<OriginConnections>>()
  readonly #opened: OriginConnections[] = []
  readonly #sockets = new Set<Socket>()
  #closed = false

  constructor(options: RunConnectionsOptions) {
    this.#options = options
  }

  /** @throws {OutboundError} if actions may not connect to the target */
  forTarget(target: Target): Promise<OriginConnections> {
    const { origin } = target.url
    const known = this.#origins.get(origin)
    if (known !== undefined) return known
    const opening = this.#open(target)
    this.#origins.set(origin, opening)
    // Failures are not cached: a name server that did not respond may respond to the next query.
    opening.catch(() => this.#origins.delete(origin))
    return opening
  }

  async #open(target: Target): Promise<OriginConnections> {
    const { guard, secureContext, connectMs } = this.#options
    const addresses = await guard.admit(target)
    if (this.#closed) throw new Error('the run is over')
    const context = secureContext()
    const sockets = this.#sockets
    const connect = pinnedConnector({
      target,
      addresses,
      secureContext: context,
      connectMs,
      sockets,
    })
    const Client = loadUndiciClient()
    const opened = new OriginConnections(
      () =>
        new Client(target.url.origin, {
          connect,
          pipelining: 1,
          allowH2: false,
          maxHeaderSize: HEADER_BYTES_MAX,
          // Undici's timeouts are disabled, because `exchange` has its own, with error messages that name the cause.
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
    )
    this.#opened.push(opened)
    return opened
  }

  /** Closes all connections, including those that are being established. */
  close(): void {
    this.#closed = true
    for (const opened of this.#opened) opened.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

let loaded: typeof ClientType | undefined

/**
 * Loads undici's HTTP/1.1 client on the first request, so that executors that never fetch do not load it. The bundle
 * contains only what the client needs (`../bundles.ts`). The package's index also loads fetch, mocks, caches and
 * WebSocket, which takes three times as long and twice the memory.
 */
function loadUndiciClient(): typeof ClientType {
  loaded ??= createRequire(import.meta.url)('./undici-client.cjs') as typeof ClientType
  return loaded
}
