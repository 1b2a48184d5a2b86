import { defineAction } from '@svc-run/cli/action'
import { AbiCoder, JsonRpcProvider, parseEther, toQuantity, Wallet } from 'ethers'

export default defineAction(async ({ key, node }: { key: string; node: string }) => {
  const wallet = new Wallet(key)
  const provider = new JsonRpcProvider(node, 8453, { staticNetwork: true })
  return {
    address: wallet.address,
    signature: await wallet.signMessage('hello'),
    data: AbiCoder.defaultAbiCoder().encode(['uint256'], [parseEther('1')]),
    block: toQuantity(await provider.getBlockNumber()),
  }
})
