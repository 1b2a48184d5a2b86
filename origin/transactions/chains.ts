import { Network } from 'ethers'
import type { Chains } from '../../shared/config/chain-settings.ts'
import { ChainNodes, type NodesOptions } from '../accounts/nodes/chain-nodes.ts'
import { NodesProvider } from '../accounts/nodes/nodes-provider.ts'
import type { OriginLog } from '../log.ts'
import type { TransactionChain, TransactionChains } from './types.ts'
import { UnknownChainError } from './unknown-chain-error.ts'

export type ConfiguredChain = TransactionChain & {
  nodes: ChainNodes
  provider: NodesProvider
}

/**
 * The chains of the `CHAINS` setting. Creating them sends no requests, so the origin starts while a chain is down. Every
 * node must return the configured chain ID before any of its responses is used.
 */
export class ConfiguredChains implements TransactionChains {
  readonly #chains: readonly ConfiguredChain[]

  constructor(chains: Chains, { log, ...options }: Omit<NodesOptions, 'log'> & { log: OriginLog }) {
    this.#chains = Object.entries(chains).map(([name, { chainId, rpc, finality, pollMs }]) => {
      const nodes = new ChainNodes(rpc, chainId, {
        ...options,
        log: (event, facts) => log(event, { chain: chainId, ...facts }),
      })
      const provider = new NodesProvider(nodes, Network.from(chainId))
      return { name, chainId, finality, pollMs, nodes, provider }
    })
  }

  all(): readonly ConfiguredChain[] {
    return this.#chains
  }

  /** @throws {UnknownChainError} */
  require(chain: string): ConfiguredChain {
    const found = this.#chains.find(
      ({ name, chainId }) => name === chain || String(chainId) === chain,
    )
    if (found) return found
    throw new UnknownChainError(chain, this.#chains)
  }

  byId(id: number): ConfiguredChain | undefined {
    return this.#chains.find(({ chainId }) => chainId === id)
  }

  close(): void {
    for (const { provider } of this.#chains) provider.destroy()
  }
}
