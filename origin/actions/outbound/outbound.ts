/** Outbound requests of actions (`fetch`), in the executor's process. */
import type { Network, OutboundWorld } from './network.ts'
import type { OutboundPolicy } from './policy.ts'
import { RunOutbound } from './run-outbound.ts'

export type { OutboundWorld } from './network.ts'
export type { OutboundAnswer } from './run-outbound.ts'
export { RunOutbound } from './run-outbound.ts'

/** Outbound requests of one executor. Keeps no state of any run. */
export class Outbound {
  readonly #policy: OutboundPolicy
  readonly #world: OutboundWorld
  #network: Promise<Network> | undefined

  constructor(policy: OutboundPolicy, world: OutboundWorld = {}) {
    this.#policy = policy
    this.#world = world
  }

  /** Creates the outbound requests of one run. Costs nothing until the first one. Must be closed when the run ends. */
  forRun(): RunOutbound {
    return new RunOutbound(async (onRequest) => (await this.#load()).forRun(onRequest))
  }

  /** Loads in advance what the first request would wait for. */
  async preload(): Promise<void> {
    const network = await this.#load()
    network.preload()
  }

  /** Loads on demand, because twenty modules, TLS and undici would slow down the start of every executor. */
  #load(): Promise<Network> {
    this.#network ??= import('./network.ts').then(
      ({ Network }) => new Network(this.#policy, this.#world),
    )
    return this.#network
  }
}
