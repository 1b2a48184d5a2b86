/**
 * Demonstrates chain event triggers: a token transfer on the stack's own `ethereum` chain causes an action to sign a
 * message.
 */
import type { FundedWalletFactory } from './funded-wallets.ts'
import { deployDemoToken } from './demo-token/deploy.ts'
import type { JourneyStep } from './journey-step.ts'

type TokenJourneyOptions = {
  wallet: FundedWalletFactory
  createTrigger: (fields: object) => Promise<any>
  /** @throws {Error} if the run fails or stalls */
  firstRun: (triggerId: string) => Promise<any>
  /** @throws {Error} if the signer is not the expected one */
  signerOf: (response: any, message: string) => Promise<string>
  step: JourneyStep
}

const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)'
const AMOUNT = 1_500n

export async function runTokenJourney(options: TokenJourneyOptions): Promise<void> {
  const { wallet, createTrigger, firstRun, signerOf, step } = options
  const [holder, friend] = [await wallet(), await wallet()]
  const token = await step(
    'deploy an ERC-20 token',
    async () => deployDemoToken(holder),
    (deployed) => `at ${deployed.target as string}`,
  )
  const trigger = await step(
    'create the chain_event trigger',
    () =>
      createTrigger({
        name: 'sign each transfer',
        kind: 'chain_event',
        config: {
          chain: 'ethereum',
          contract_address: token.target,
          event_signature: TRANSFER,
        },
      }),
    (made) => `${made.canonical_signature}, final after ${made.finality} blocks`,
  )
  await step(
    'transfer',
    async () => (await token.getFunction('transfer').send(friend.address, AMOUNT)).wait(),
    (receipt) => `block ${receipt!.blockNumber}`,
  )
  await step(
    'the run of the transfer ends',
    async () => {
      const { response } = await firstRun(trigger.id)
      await signerOf(response, `${friend.address} received ${AMOUNT}`)
      return response.message
    },
    (message) => `the action signed "${message}"`,
  )
}
