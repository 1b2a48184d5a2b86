import { createSecureContext, type SecureContext } from 'node:tls'
import { abortable } from '../../../shared/client/abortable.ts'
import { AddressGuard } from './address-guard.ts'
import { DEFAULT_TIMEOUTS, type OutboundTimeouts } from './bounds.ts'
import { exchange } from './exchange.ts'
import { RunConnections } from './run-connections.ts'
import { NameResolver } from './name-resolver.ts'
import type { OutboundPolicy } from './policy.ts'
import { isPublicAddress } from './public-address.ts'
import { RunNetwork } from './run-network.ts'

/** Replacements for the real network environment, for tests. */
export type OutboundEnvironment = {
  /** Name servers as `address:port`. */
  nameServers?: readonly string[]
  isPublic?: (address: string) => boolean
  /** Certificate authorities in PEM, instead of Node's default authorities. */
  authorities?: readonly string[]
  times?: OutboundTimeouts
}

/** Network of an executor, shared by all its runs. Contains no state of individual runs. */
export class OutboundNetwork {
  readonly #policy: OutboundPolicy
  readonly #environment: OutboundEnvironment
  #context: SecureContext | undefined

  constructor(policy: OutboundPolicy, world: OutboundEnvironment) {
    this.#policy = policy
    this.#environment = world
  }

  /** @param onRequest called before each redirect is followed; may throw to prevent the next request */
  forRun(onRequest: () => void): RunNetwork {
    const { nameServers, isPublic = isPublicAddress, times = DEFAULT_TIMEOUTS } = this.#environment
    const names = new NameResolver(nameServers)
    const guard = new AddressGuard(this.#policy, names, isPublic)
    const secureContext = () => this.#secureContext()
    const connections = new RunConnections({ guard, secureContext, connectMs: times.connect })
    return new RunNetwork({
      send: async (target, request, options) => {
        // Abort the wait, because DNS queries cannot be stopped immediately.
        const origin = await abortable(connections.forTarget(target), options.signal)
        return exchange(origin, request, { ...options, named: target.named, times })
      },
      close() {
        names.cancel()
        connections.close()
      },
      onRequest,
    })
  }

  /** Returns the TLS context. It contains the certificate authorities but no sessions, so all runs can share it. */
  #secureContext(): SecureContext {
    const { authorities } = this.#environment
    this.#context ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(authorities && { ca: [...authorities] }),
    })
    return this.#context
  }
}
