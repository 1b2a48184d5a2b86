/** USDC deployments that the forms suggest. Sources: Circle's list of contracts, and the block explorers. */

export type Deployment = {
  chain: number
  /** With an EIP-55 checksum. */
  address: string
  /** Gas price in gwei that transactions on this chain rarely exceed. */
  gasPriceGwei: string
}

export const USDC_DECIMALS = 6

export const USDC_DEPLOYMENTS: readonly Deployment[] = [
  { chain: 1, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', gasPriceGwei: '100' },
  { chain: 8_453, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', gasPriceGwei: '10' },
  { chain: 42_161, address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', gasPriceGwei: '10' },
  { chain: 10, address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', gasPriceGwei: '10' },
  { chain: 137, address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', gasPriceGwei: '1000' },
  { chain: 43_114, address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', gasPriceGwei: '300' },
  { chain: 11_155_111, address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', gasPriceGwei: '100' },
  { chain: 84_532, address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', gasPriceGwei: '10' },
]

const CHAIN_NAMES: Readonly<Record<string, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
}

export const chainName = (chain: number | string): string => {
  const name = CHAIN_NAMES[String(chain)]
  return name === undefined ? `chain ${chain}` : name
}
