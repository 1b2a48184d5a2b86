/** A separate chain with the contract deployed, and payers that may write managed accounts. */
import { JsonRpcProvider, Wallet } from 'ethers'
import { type ContractChain, connectChain } from '../../../origin/accounts/chain.ts'
import { deployAccountConfig } from '../../../origin/contracts/deploy.ts'
import { fundedKey, startChain } from '../chain.ts'

export type ContractOnChain = Awaited<ReturnType<typeof startContract>>

const owner = new Wallet(fundedKey(0))

/** @param payers addresses; the first one is funded, and all of them may write */
export async function startContract(...payers: string[]) {
  const anvil = await startChain()
  const control = new JsonRpcProvider(anvil.rpcUrl, undefined, { staticNetwork: true })
  const deployment = { rpcUrl: anvil.rpcUrl, signer: owner, payers }
  const [deployed] = await Promise.all([
    deployAccountConfig(deployment),
    control.send('anvil_setBalance', [payers[0], '0x21e19e0c9bab2400000']),
  ])
  const chain: ContractChain = await connectChain([anvil.rpcUrl], deployed)
  return {
    chain,
    rpcUrl: anvil.rpcUrl,
    /** Calls a method of anvil itself. */
    send: (method: string, params: unknown[]) => control.send(method, params),
    stop: () => anvil.close(),
    close: async () => {
      control.destroy()
      chain.provider.destroy()
      await anvil.close()
    },
  }
}
