/** The chains that a deployment watches, as `CHAINS` configures them. */

export const CHAIN_NAMES = ['ethereum', 'base', 'arbitrum', 'bsc', 'polygon'] as const
export type ChainName = (typeof CHAIN_NAMES)[number]

export type ChainSettings = {
  chainId: number
  /** JSON-RPC endpoints, the preferred one first. They may hold keys: never logged, never shown. */
  rpc: readonly string[]
  /** Blocks below the head at which a block is taken as final, where a trigger does not say. */
  finality: number
  pollMs: number
}

/** @throws never: a chain that is not configured is absent */
export type Chains = Partial<Record<ChainName, ChainSettings>>
