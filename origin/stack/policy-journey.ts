/**
 * Demonstrates wallet policies with a wallet that may spend at most 0.01 of the chain's coin a day. It pays once; its
 * key cannot be read, and its second payment is refused.
 */
import { parseEther, parseUnits } from 'ethers'
import { ActionFailed, type SovereignClient } from '../../shared/client/index.ts'
import { DAY_MS } from '../../shared/durations.ts'
import type { FundedWalletFactory } from './funded-wallets.ts'
import type { JourneyStep } from './journey-step.ts'

type PolicyJourneyOptions = {
  /** Client of the account's admin wallet. */
  client: SovereignClient
  wallet: FundedWalletFactory
  step: JourneyStep
}

/** Signs a transaction, or tries to read the key. */
const ACTION = `const main = ({ wallet, transaction }) =>
  transaction
    ? Svc.Actions.signTransaction({ pkpId: wallet, transaction })
    : Svc.Actions.getPrivateKey({ pkpId: wallet })
`

const MAX_A_DAY = parseEther('0.01')
/** Two payments exceed the maximum. */
const PAYMENT = parseEther('0.006')
const GAS = {
  gasLimit: 21_000,
  maxFeePerGas: String(parseUnits('10', 'gwei')),
  maxPriorityFeePerGas: '0',
}

export async function runPolicyJourney(options: PolicyJourneyOptions): Promise<void> {
  const { client, step } = options
  const [funder, payee] = [await options.wallet(), await options.wallet()]
  const node = funder.provider!
  const { chain_id: chain } = await client.getNodeChainConfig()
  const policy = {
    version: 1,
    sums: [{ name: 'a day', of: 'native_spend', window_s: DAY_MS / 1000, max: String(MAX_A_DAY) }],
    rules: [
      {
        name: 'pay one address',
        effect: 'allow',
        kind: 'transaction',
        chains: [chain],
        to: [payee.address],
        calls: 'none',
        value_max: String(MAX_A_DAY),
        sums: ['a day'],
      },
    ],
  }
  const { wallet_address } = await step(
    'create a wallet with a policy',
    () => client.createWallet({ name: 'pays', policy }),
    (made) => `${made.wallet_address} may spend 0.01 ETH a day`,
  )
  const run = await step(
    'fund it, and permit an action to use it',
    async () => {
      const funding = await funder.sendTransaction({ to: wallet_address, value: parseEther('1') })
      await funding.wait()
      const { group_id } = await client.addGroup({
        group_name: 'pays',
        pkp_ids_permitted: [wallet_address],
      })
      const action_ipfs_cid = await client.getSvcActionIpfsId(ACTION)
      await client.addActionToGroup({ group_id, action_ipfs_cid })
      const { usage_api_key } = await client.addUsageApiKey({
        name: 'pays',
        execute_in_groups: [group_id],
      })
      const runner = client.withUsageKey(usage_api_key)
      return async (transaction?: object): Promise<string> => {
        const js_params = { wallet: wallet_address, ...(transaction && { transaction }) }
        const call = () => runner.svcAction<string>({ code: ACTION, js_params })
        return (await runner.waitUntilPermitted(call)).response
      }
    },
    () => `1 ETH, and a usage key that can run the action`,
  )
  const paymentOf = (nonce: number) => ({
    type: 2,
    chainId: chain,
    nonce,
    to: payee.address,
    value: String(PAYMENT),
    ...GAS,
  })
  await step(
    'pay 0.006 ETH with it',
    async () => {
      const sent = await node.broadcastTransaction(await run(paymentOf(0)))
      const mined = await sent.wait()
      if (mined?.from !== wallet_address) throw new Error(`paid by ${mined?.from}`)
      return mined
    },
    (mined) => `block ${mined.blockNumber}: ${payee.address} was paid`,
  )
  await step(
    'read its private key',
    () => refusalOf(run()),
    (reason) => `refused: ${reason}`,
  )
  await step(
    'pay 0.006 ETH again',
    () => refusalOf(run(paymentOf(1))),
    (reason) => `refused: ${reason}`,
  )
}

/** Returns the first sentence of the reason of a refusal. @throws {Error} if nothing was refused */
async function refusalOf(result: Promise<string>): Promise<string> {
  const error = await result.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ActionFailed)) throw error
  return error.message.replace('Error: ', '').split(/[.;] /)[0]!
}
