/** Typical ethers signers, with providers that cache responses, including the transaction count. */
import { type HDNodeWallet, JsonRpcProvider, JsonRpcSigner, NonceManager } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../shared/client/client.ts'
import type { EthereumSigner } from '../../../shared/client/sovereign/signer.ts'
import { sovereignAt } from '../../origin/client/client-of.ts'
import { makeChainSecured } from '../../origin/http/chain-secured.ts'
import { startOrigin, type TestOrigin } from '../../origin/http/origin.ts'

let origin: TestOrigin
let node: JsonRpcProvider
beforeAll(async () => {
  origin = await startOrigin()
  node = new JsonRpcProvider(origin.rpcUrl, undefined, { cacheTimeout: 60_000 })
})
afterAll(async () => {
  node.destroy()
  await origin.close()
})

it.each<[string, (admin: HDNodeWallet) => EthereumSigner]>([
  ['a wallet', (admin) => admin.connect(node)],
  ['a wallet that counts by itself', (admin) => new NonceManager(admin.connect(node))],
  ['a wallet of the node', (admin) => new JsonRpcSigner(node, admin.address)],
])(
  '%s sends consecutive transactions, each as soon as the previous one is mined',
  async (_, of) => {
    const admin = await makeChainSecured(origin, await origin.account())
    await node.send('anvil_setBalance', [admin.address, '0x8ac7230489e80000'])
    await node.send('anvil_impersonateAccount', [admin.address])
    const client = createClient({ ...sovereignAt(origin), signer: of(admin) })
    for (const group_name of ['one', 'two', 'three'])
      expect(await client.addGroup({ group_name })).toMatchObject({ group_id: expect.anything() })
  },
)
