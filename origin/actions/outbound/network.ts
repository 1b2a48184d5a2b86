import { createSecureContext, type SecureContext } from 'node:tls'
import { AddressGuard } from './address-guard.ts'
import { TIMES, type OutboundTimes } from './bounds.ts'
import { Connections } from './connections.ts'
import { NameResolver } from './name-resolver.ts'
import type { OutboundPolicy } from './policy.ts'
import { isPublicAddress } from './public-address.ts'
import { RunNetwork } from './run-network.ts'
import { loadClient } from './undici.ts'

/** Network environment of the requests. Omitted parts default to the real ones. */
export type OutboundWorld = {
  /** Name servers, `address:port`. */
  nameServers?: readonly string[]
  isPublic?: (address: string) => boolean
  /** Certificate authorities that replace Node's own, as PEM. */
  authorities?: readonly string[]
  times?: OutboundTimes
}

/** Settings shared by the runs of one executor. Keeps no state of any run. */
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

  /**
   * Creates the connections and lookups of one run. `onRequest` is called before each redirect is followed, and may
   * throw.
   */
  forRun(onRequest: () => void): RunNetwork {
    const { nameServers, isPublic = isPublicAddress, times = TIMES } = this.#world
    const names = new NameResolver(nameServers)
    const guard = new AddressGuard(this.#policy, names, isPublic)
    const secureContext = () => this.#secureContext()
    const connections = new Connections({ guard, secureContext, connectMs: times.connect })
    return new RunNetwork({ names, connections, times, onRequest })
  }

  /** Contains authorities but no sessions, so runs may share it. */
  #secureContext(): SecureContext {
    const { authorities } = this.#world
    this.#context ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(authorities && { ca: [...authorities] }),
    })
    return this.#context
  }
}
