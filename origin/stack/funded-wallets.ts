import { type HDNodeWallet, JsonRpcProvider, Wallet } from 'ethers'

/** Creates a new wallet with funds for its transactions. */
export type FundedWallet = () => Promise<HDNodeWallet>

/** Balance of each new wallet: 10 ether in wei. */
const FUNDS = '0x8ac7230489e80000'

/** Creates wallets on the stack's own chain, and funds them through the chain's node. */
export function fundedWallets(chainUrl: string): { wallet: FundedWallet; close: () => void } {
  const node = new JsonRpcProvider(chainUrl, undefined, { staticNetwork: true, cacheTimeout: -1 })
  const wallet = async () => {
    const made = Wallet.createRandom(node)
    await node.send('anvil_setBalance', [made.address, FUNDS])
    return made
  }
  return { wallet, close: () => node.destroy() }
}
