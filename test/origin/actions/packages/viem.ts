import { defineAction } from '@svc-run/cli/action'
import { createPublicClient, encodeFunctionData, erc20Abi, http, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

export default defineAction(async ({ key, node }: { key: `0x${string}`; node: string }) => {
  const account = privateKeyToAccount(key)
  const client = createPublicClient({ chain: base, transport: http(node) })
  return {
    address: account.address,
    signature: await account.signMessage({ message: 'hello' }),
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [account.address, parseEther('1')],
    }),
    block: toHex(await client.getBlockNumber()),
  }
})
