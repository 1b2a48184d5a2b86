/** Block explorers and native coins of public chains, by chain ID. Source: https://chainlist.org. */

type PublicChain = {
  /** URL without a path. */
  explorer: `https://${string}`
  coin: string
}

const PUBLIC_CHAINS = new Map<number, PublicChain>([
  [1, { explorer: 'https://etherscan.io', coin: 'ETH' }],
  [56, { explorer: 'https://bscscan.com', coin: 'BNB' }],
  [97, { explorer: 'https://testnet.bscscan.com', coin: 'tBNB' }],
  [137, { explorer: 'https://polygonscan.com', coin: 'POL' }],
  [8_453, { explorer: 'https://basescan.org', coin: 'ETH' }],
  [42_161, { explorer: 'https://arbiscan.io', coin: 'ETH' }],
  [80_002, { explorer: 'https://amoy.polygonscan.com', coin: 'POL' }],
  [84_532, { explorer: 'https://sepolia.basescan.org', coin: 'ETH' }],
  [421_614, { explorer: 'https://sepolia.arbiscan.io', coin: 'ETH' }],
  [11_155_111, { explorer: 'https://sepolia.etherscan.io', coin: 'ETH' }],
])

const PATHS = { tx: /^0x[0-9a-f]{64}$/i, address: /^0x[0-9a-f]{40}$/i } as const

/** URLs of block explorers by chain ID, without a path. */
export type Explorers = Readonly<Record<number, string>>

/**
 * Returns a link to a transaction or an address, or undefined if the chain has no known explorer with https.
 * @param configured explorers of the deployment, which replace the known ones
 */
export function explorerUrl(
  chainId: number,
  kind: keyof typeof PATHS,
  id: string,
  configured: Explorers = {},
): string | undefined {
  const explorer = configured[chainId] ?? PUBLIC_CHAINS.get(chainId)?.explorer
  const isLink = explorer?.startsWith('https://') && PATHS[kind].test(id)
  return isLink ? `${explorer}/${kind}/${id}` : undefined
}

/** Returns the symbol of a chain's native coin, or `native coin` if it is not known. */
export const coinOf = (chainId: number): string => PUBLIC_CHAINS.get(chainId)?.coin ?? 'native coin'
