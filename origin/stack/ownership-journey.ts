/** From API mode to ChainSecured and into other hands, with the client library (specification, States and transitions). */
import { type ActionToRun, createClient } from '../../shared/client/index.ts'
import type { FundedWallet } from './funded-wallets.ts'
import type { JourneyStep } from './journey.ts'

export type OwnershipJourney = {
  baseUrl: string
  /** The account key. */
  apiKey: string
  groupId: number
  /** Of that group. */
  action: ActionToRun
  /** Who signed what it answers. @throws {Error} unless it is who should have */
  signerOf: (response: any) => Promise<string>
  wallet: FundedWallet
  step: JourneyStep
}

export async function ownershipJourney(options: OwnershipJourney): Promise<void> {
  const { baseUrl, apiKey, groupId, action, signerOf, wallet, step } = options
  const [admin, next] = [await wallet(), await wallet()]
  const managed = createClient({ baseUrl, apiKey })
  await step(
    'convert_to_chain_secured_account',
    () => managed.convertToChainSecured(admin),
    (converted) => `the admin is ${converted.wallet_address}`,
  )
  const client = createClient({ mode: 'sovereign', baseUrl, signer: admin })
  const { usage_api_key } = await step(
    'mint a usage key from the contract',
    () => client.addUsageApiKey({ name: 'of the wallet', execute_in_groups: [groupId] }),
    () => 'the admin wallet has registered it',
  )
  await step(
    'svc_action by that key',
    async () => signerOf((await client.withUsageKey(usage_api_key).svcAction(action)).response),
    (signer) => `signed by ${signer}`,
  )
  await step(
    'hand the account on',
    async () => {
      await client.transferOwnership(next.address, 'there is no way back')
      const heir = createClient({ mode: 'sovereign', baseUrl, signer: next })
      return heir.removeUsageApiKey({ usage_api_key })
    },
    () => `${next.address} is the admin, and has removed the key`,
  )
}
