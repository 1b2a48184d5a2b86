/** Requests that actions make to the world (`fetch`), in the process of the executor. */
import type { Network, OutboundWorld } from './network.ts'
import type { OutboundPolicy } from './policy.ts'
import { RunOutbound } from './run-outbound.ts'

export type { OutboundWorld } from './network.ts'
export type { OutboundAnswer } from './run-outbound.ts'
export { RunOutbound } from './run-outbound.ts'

/** The outbound requests of one executor. Of a run, nothing stays here. */
export class Outbound {
  readonly #policy: OutboundPolicy
  readonly #world: OutboundWorld
  #network: Promise<Network> | undefined

  constructor(policy: OutboundPolicy, world: OutboundWorld = {}) {
    this.#policy = policy
    this.#world = world
  }

  /** The outbound requests of one run; costs nothing until the first. `close` it when the run ends. */
  forRun(): RunOutbound {
    return new RunOutbound(async (onRequest) => (await this.#load()).forRun(onRequest))
  }

  /** Loads ahead what the first request would wait for. */
  async preload(): Promise<void> {
    const network = await this.#load()
    network.preload()
  }

  /** Only when it is needed: twenty modules, TLS and undici are not to burden each executor's start. */
  #load(): Promise<Network> {
    this.#network ??= import('./network.ts').then(
      ({ Network }) => new Network(this.#policy, this.#world),
    )
    return this.#network
  }
}
