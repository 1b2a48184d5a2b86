/** Converts an account from API mode to ChainSecured, and then transfers it to another wallet. */
import { type ActionToRun, createClient, type SovereignClient } from '../../shared/client/index.ts'
import type { FundedWalletFactory } from './funded-wallets.ts'
import type { JourneyStep } from './journey-step.ts'

type OwnershipJourneyOptions = {
  baseUrl: string
  apiKey: string
  groupId: number
  action: ActionToRun
  /** @throws {Error} if the signer is not the expected one */
  signerOf: (response: any) => Promise<string>
  wallet: FundedWalletFactory
  step: JourneyStep
}

/** @returns a client of the account's last admin */
export async function runOwnershipJourney(
  options: OwnershipJourneyOptions,
): Promise<SovereignClient> {
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
    () => 'registered by the admin wallet',
  )
  await step(
    'svc_action by that key',
    async () => signerOf((await client.withUsageKey(usage_api_key).svcAction(action)).response),
    (signer) => `signed by ${signer}`,
  )
  return step(
    'hand the account on',
    async () => {
      await client.transferOwnership(next.address, 'there is no way back')
      const heir = createClient({ mode: 'sovereign', baseUrl, signer: next })
      await heir.removeUsageApiKey({ usage_api_key })
      return heir
    },
    () => `${next.address} is the new admin and removed the key`,
  )
}
