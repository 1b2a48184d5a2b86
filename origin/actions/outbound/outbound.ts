/** Outbound requests of actions (`fetch`), made in the executor's process. */
import type { Network, OutboundWorld } from './network.ts'
import type { OutboundPolicy } from './policy.ts'
import { RunOutbound } from './run-outbound.ts'

export type { OutboundWorld } from './network.ts'
export type { OutboundAnswer } from './run-outbound.ts'
export { RunOutbound } from './run-outbound.ts'

/** Contains no state of individual runs. */
export class Outbound {
  readonly #policy: OutboundPolicy
  readonly #world: OutboundWorld
  #network: Promise<Network> | undefined

  constructor(policy: OutboundPolicy, world: OutboundWorld = {}) {
    this.#policy = policy
    this.#world = world
  }

  /** Uses no resources until the first request. The handler must be closed when the run ends. */
  forRun(): RunOutbound {
    return new RunOutbound(async (onRequest) => (await this.#load()).forRun(onRequest))
  }

  async preload(): Promise<void> {
    const network = await this.#load()
    network.preload()
  }

  /** Loaded on demand, because twenty modules, TLS and undici would slow down the start of every executor. */
  #load(): Promise<Network> {
    this.#network ??= import('./network.ts').then(
      ({ Network }) => new Network(this.#policy, this.#world),
    )
    return this.#network
  }
}
