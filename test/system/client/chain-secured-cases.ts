/** ChainSecured mode: a browser wallet takes over an account, uses it, and transfers it to another wallet. */
import { JsonRpcProvider, Wallet } from 'ethers'
import {
  createClient,
  type SovereignClient,
  type Step,
  TransactionReverted,
  Unauthorized,
} from '../../../shared/client/index.ts'
import { browserWallet } from '../../doubles/eip1193-wallet.ts'
import type { Case, World } from './case.ts'
import { failsAs, isSame, isTrue } from './claims.ts'

const SIGN = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address
}`
const FUNDS = '0x8ac7230489e80000'

async function fundedWallet({ chainUrl }: World) {
  const node = new JsonRpcProvider(chainUrl, undefined, { staticNetwork: true })
  const wallet = Wallet.createRandom()
  await node.send('anvil_setBalance', [wallet.address, FUNDS])
  node.destroy()
  const provider = await browserWallet(wallet, chainUrl)
  return { address: wallet.address, provider }
}

export const chainSecuredCases: readonly Case[] = [
  {
    name: 'a wallet takes an account over, mints a key that runs an action, and hands it on for ever',
    async run(client, world) {
      const { baseUrl } = world
      const { verification } = client
      await client.newAccount({ account_name: 'to be converted' })
      const [admin, next] = [await fundedWallet(world), await fundedWallet(world)]
      const steps: string[] = []
      const onStep = ({ step }: Step) => void steps.push(step)
      const of = (wallet: typeof admin): SovereignClient =>
        createClient({
          mode: 'sovereign',
          baseUrl,
          verification,
          signer: wallet.provider,
          onStep,
        })
      const converted = await client.convertToChainSecured(admin.provider)
      isSame(converted.wallet_address, admin.address, 'the admin')

      const mine = of(admin)
      const { wallet_address } = await mine.createWallet({ name: 'signs' })
      const { group_id } = await mine.addGroup({
        group_name: 'signers',
        pkp_ids_permitted: [wallet_address],
        cid_hashes_permitted: [0],
      })
      const { usage_api_key } = await mine.addUsageApiKey({
        name: 'runs',
        execute_in_groups: [group_id],
      })
      isTrue(steps.includes('sign') && steps.includes('mined'), 'each step was told')
      const running = mine.withUsageKey(usage_api_key)
      const action = { code: SIGN, js_params: { pkpId: wallet_address } }
      const { response } = await running.waitUntilPermitted(() => running.svcAction(action))
      isSame(response, wallet_address, 'who signed')
      isTrue((await mine.billing.balance()).balance_cents > 0, 'the credit has stayed')

      await mine.transferOwnership(next.address, 'there is no way back')
      await failsAs(TransactionReverted, mine.addGroup({ group_name: 'too late' }))
      const theirs = of(next)
      await theirs.removeUsageApiKey({ usage_api_key })
      isSame(await theirs.listApiKeys().all(), [], 'the keys of the new admin')
      isSame(await theirs.accountHash(), converted.api_key_hash, 'the account')
      // The service holds the new admin's request until it has seen the transfer.
      isTrue((await theirs.billing.balance()).balance_cents > 0, 'the credit is of the account')
      await failsAs(Unauthorized, of(admin).billing.balance())
      for (const { provider } of [admin, next]) provider.close()
    },
  },
]
