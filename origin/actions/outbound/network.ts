import { createSecureContext, type SecureContext } from 'node:tls'
import { AddressGuard } from './address-guard.ts'
import { TIMES, type OutboundTimes } from './bounds.ts'
import { Connections } from './connections.ts'
import { NameResolver } from './name-resolver.ts'
import type { OutboundPolicy } from './policy.ts'
import { isPublicAddress } from './public-address.ts'
import { RunNetwork } from './run-network.ts'
import { loadClient } from './undici.ts'

/** Replacements for the real network environment, for tests. */
export type OutboundWorld = {
  /** As `address:port`. */
  nameServers?: readonly string[]
  isPublic?: (address: string) => boolean
  /** PEM, instead of Node's default authorities. */
  authorities?: readonly string[]
  times?: OutboundTimes
}

/** Shared by all runs of one executor. Contains no state of individual runs. */
export class Network {
  readonly #policy: OutboundPolicy
  readonly #world: OutboundWorld
  #context: SecureContext | undefined

  constructor(policy: OutboundPolicy, world: OutboundWorld) {
    this.#policy = policy
    this.#world = world
  }

  preload(): void {
    loadClient()
    this.#secureContext()
  }

  /** @param onRequest called before each redirect is followed; may throw to prevent that */
  forRun(onRequest: () => void): RunNetwork {
    const { nameServers, isPublic = isPublicAddress, times = TIMES } = this.#world
    const names = new NameResolver(nameServers)
    const guard = new AddressGuard(this.#policy, names, isPublic)
    const secureContext = () => this.#secureContext()
    const connections = new Connections({ guard, secureContext, connectMs: times.connect })
    return new RunNetwork({ names, connections, times, onRequest })
  }

  /** The TLS context contains the certificate authorities but no sessions, so all runs can share it. */
  #secureContext(): SecureContext {
    const { authorities } = this.#world
    this.#context ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(authorities && { ca: [...authorities] }),
    })
    return this.#context
  }
}
