/** Outbound requests of actions (`fetch`), made in the executor's process. */
import type { OutboundNetwork, OutboundEnvironment } from './outbound-network.ts'
import type { OutboundPolicy } from './policy.ts'
import { RunOutbound } from './run-outbound.ts'

export type { OutboundEnvironment } from './outbound-network.ts'
export type { OutboundResult } from './run-outbound.ts'
export { RunOutbound } from './run-outbound.ts'

export class Outbound {
  readonly #policy: OutboundPolicy
  readonly #environment: OutboundEnvironment
  #network: Promise<OutboundNetwork> | undefined

  constructor(policy: OutboundPolicy, world: OutboundEnvironment = {}) {
    this.#policy = policy
    this.#environment = world
  }

  /**
   * Returns a handler of one run's requests, which uses no resources until the first request. It must be closed when
   * the run ends.
   */
  forRun(): RunOutbound {
    return new RunOutbound(async (onRequest) => (await this.#load()).forRun(onRequest))
  }

  /**
   * Loads the network modules on demand, because twenty modules, TLS and undici would slow down the start of every
   * executor.
   */
  #load(): Promise<OutboundNetwork> {
    this.#network ??= import('./outbound-network.ts').then(
      ({ OutboundNetwork }) => new OutboundNetwork(this.#policy, this.#environment),
    )
    return this.#network
  }
}
