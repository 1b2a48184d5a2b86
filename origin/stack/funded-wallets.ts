import { type HDNodeWallet, JsonRpcProvider, Wallet } from 'ethers'

export type FundedWalletFactory = () => Promise<HDNodeWallet>

/** Balance of a funded wallet: 10 ether in wei. */
const FUNDS = '0x8ac7230489e80000'

export function fundedWallets(chainUrl: string): {
  wallet: FundedWalletFactory
  close: () => void
} {
  const node = new JsonRpcProvider(chainUrl, undefined, { staticNetwork: true, cacheTimeout: -1 })
  const wallet = async () => {
    const made = Wallet.createRandom(node)
    await node.send('anvil_setBalance', [made.address, FUNDS])
    return made
  }
  return { wallet, close: () => node.destroy() }
}
