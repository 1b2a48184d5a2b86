/**
 * Demonstrates chain event triggers and transactions: a transfer of tokens to a wallet on the stack's own `ethereum`
 * chain causes an action to sign a message, and to send the tokens on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEther, zeroPadValue } from 'ethers'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { FundedWalletFactory } from './funded-wallets.ts'
import { deployDemoToken } from './demo-token/deploy.ts'
import type { JourneyStep } from './journey-step.ts'

type TokenJourneyOptions = {
  wallet: FundedWalletFactory
  /** Address of the wallet that receives the tokens, and sends them on to the address in the param `friend`. */
  receiver: string
  createTrigger: (fields: object) => Promise<any>
  /** @throws {Error} if the run fails or stalls */
  firstRun: (triggerId: string) => Promise<any>
  /** @throws {Error} if the signer is not the expected one */
  signerOf: (response: any, message: string) => Promise<string>
  /** Transactions that a run has requested. */
  transactionsOf: (runId: string) => Promise<TransactionRecord[]>
  step: JourneyStep
}

const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)'
const AMOUNT = 1_500n
/** Pays the gas of the receiver's transaction. */
const GAS_FUNDS = parseEther('0.1')
const FINAL_WITHIN_MS = 60_000

export async function runTokenJourney(options: TokenJourneyOptions): Promise<void> {
  const { wallet, receiver, createTrigger, firstRun, signerOf, transactionsOf, step } = options
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
        name: 'send tokens on',
        kind: 'chain_event',
        default_params: { pkp_id: receiver, friend: friend.address },
        config: {
          chain: 'ethereum',
          contract_address: token.target,
          event_signature: TRANSFER,
          topic_filters: [null, zeroPadValue(receiver, 32).toLowerCase()],
        },
      }),
    (made) => `${made.canonical_signature}, final after ${made.finality} blocks`,
  )
  await step(
    'transfer 1500 tokens to the wallet',
    async () => {
      await (await holder.sendTransaction({ to: receiver, value: GAS_FUNDS })).wait()
      return (await token.getFunction('transfer').send(receiver, AMOUNT)).wait()
    },
    (receipt) => `block ${receipt!.blockNumber}`,
  )
  const run = await step(
    'the run of the transfer ends',
    async () => {
      const ended = await firstRun(trigger.id)
      await signerOf(ended.response, `${receiver} received ${AMOUNT}`)
      return ended
    },
    ({ response }) => `the action signed "${response.message}" and sent them on`,
  )
  await step(
    'its transaction is final',
    async () => {
      const { mined } = await finalTransaction(() => transactionsOf(run.id))
      const balance: bigint = await token.getFunction('balanceOf')(friend.address)
      if (balance !== AMOUNT) throw new Error(`${friend.address} has ${balance}`)
      return mined!
    },
    (mined) => `block ${mined.block_number}: ${friend.address} has ${AMOUNT}`,
  )
}

/** @throws {Error} if the run has requested none or several, or if the transaction fails */
async function finalTransaction(
  read: () => Promise<TransactionRecord[]>,
): Promise<TransactionRecord> {
  for (const begun = performance.now(); ; await sleep(100)) {
    const [record, ...others] = await read()
    if (record?.state === 'final' && others.length === 0) return record
    if (!record || others.length > 0 || record.ended_at !== null) break
    if (performance.now() - begun > FINAL_WITHIN_MS) break
  }
  throw new Error(JSON.stringify(await read()))
}
