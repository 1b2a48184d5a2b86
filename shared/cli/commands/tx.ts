import { type Command, InvalidArgumentError } from 'commander'
import { withoutUndefined } from '../../json/without-undefined.ts'
import type { TransactionState } from '../../wire/transaction-states.ts'
import type { TransactionRecord } from '../../wire/transactions.ts'
import type { Cli } from '../cli.ts'
import { EXIT } from '../terminal.ts'
import type { GivenTransaction } from '../transactions/send-fields.ts'
import { firstOf } from '../transactions/first-of.ts'
import { addExamples } from './examples.ts'
import { collectOption, integerOf } from './option-values.ts'
import { registerTxDefaults } from './tx-defaults.ts'

const ID = 'ID of the transaction'
const LISTED = '20'
const WAIT_S = '300'

type Milestone = 'mined' | 'final'
type GivenWait = { wait?: Milestone; timeout: string }

export function registerTx(program: Command, cli: Cli): void {
  const tx = program.command('tx').description('Send transactions of wallets, and follow them.')
  registerSend(tx, cli)
  registerList(tx, cli)
  registerShow(tx, cli)
  registerWait(tx, cli)
  registerSpeedUp(tx, cli)
  registerCancel(tx, cli)
  registerTxDefaults(tx, cli)
}

function registerSend(tx: Command, cli: Cli): void {
  const command = txCommand(
    tx,
    cli,
    'send',
    'Send a transaction of a wallet. Prints its ID without waiting for the chain.',
  )
    .requiredOption('--wallet <wallet>', 'address or ID of the wallet that sends, and pays the gas')
    .requiredOption('--chain <chain>', 'name or ID of the chain')
    .requiredOption('--to <address>', 'recipient or contract')
    .option('--value <amount>', 'amount in wei, or such as 1.5gwei or 0.01ether')
    .option('--call <function>', 'function to call, such as "transfer(address,uint256)"')
    .option('--arg <value>', 'argument of the function, in order; can be repeated', collectOption)
    .option('--data <hex>', 'encoded call, instead of --call')
    .option('--gas <limit>', 'gas limit; default: estimated')
    .option('--max-fee <amount>', 'highest fee for a unit of gas, such as 40gwei')
    .option('--speed <speed>', 'fast, normal (default) or cheap')
    .option(
      '--error <signature>',
      'custom error of the contract, to explain a revert; can be repeated',
      collectOption,
    )
    .option('--idempotency-key <text>', 'the same key never sends a second transaction')
    .option('--wait <state>', 'wait until it is mined or final; exit code 1 if it fails', milestone)
    .option('--timeout <seconds>', 'with --wait, how long to wait', WAIT_S)
    .action(async (given: GivenTransaction & GivenWait & { idempotencyKey?: string }) => {
      const { sendFields } = await import('../transactions/send-fields.ts')
      const fields = sendFields(given)
      const client = await clientOf(cli, command)
      const { idempotencyKey, wait, timeout } = given
      const sent = await client.sendTransaction(fields, withoutUndefined({ idempotencyKey }))
      if (wait === undefined) return printTransaction(cli, command, sent)
      cli.progress(command, `sent ${sent.id}`)
      await waitAndPrint(cli, command, sent.id, wait, timeout)
    })
  addExamples(command, [
    'svc tx send --wallet $WALLET --chain ethereum --to 0x000000000000000000000000000000000000dEaD --value 0.01ether --wait mined',
    'svc tx send --wallet $WALLET --chain ethereum --to $WALLET --call "transfer(address,uint256)" --arg $WALLET --arg 25 --max-fee 40gwei',
  ])
}

type GivenFilter = {
  wallet?: string
  chain?: string
  state?: TransactionState
  run?: string
  limit: string
}

function registerList(tx: Command, cli: Cli): void {
  const command = txCommand(
    tx,
    cli,
    'list',
    'List transactions, newest first. With a usage key, only those that it requested.',
  )
    .option('--wallet <wallet>', 'only transactions of this wallet')
    .option('--chain <chain>', 'only transactions on this chain')
    .option('--state <state>', 'only transactions in this state, such as broadcast or failed')
    .option('--run <id>', 'only transactions of this run')
    .option('--limit <n>', 'maximum number of transactions', LISTED)
    .action(async ({ wallet, chain, state, run, limit }: GivenFilter) => {
      const most = integerOf('--limit', limit)
      const client = await clientOf(cli, command)
      const filter = withoutUndefined({ pkp_id: wallet, chain, state, run_id: run })
      const records = await firstOf(client.transactions.list(filter), most)
      const { transactionListLines } = await import('../transactions/transaction-lines.ts')
      cli.print(command, records, () =>
        records.length === 0 ? ['no transactions'] : transactionListLines(records),
      )
    })
  addExamples(command, ['svc tx list', 'svc tx list --wallet $WALLET --chain ethereum --json'])
}

function registerShow(tx: Command, cli: Cli): void {
  const command = txCommand(
    tx,
    cli,
    'show',
    'Show a transaction: state, fees, and everything that was signed for it.',
  )
    .argument('<id>', ID)
    .action(async (id: string) => {
      const client = await clientOf(cli, command)
      await printTransaction(cli, command, await client.transactions.get(id))
    })
  addExamples(command, ['svc tx show $TRANSACTION', 'svc tx show $TRANSACTION --json'])
}

function registerWait(tx: Command, cli: Cli): void {
  const command = txCommand(
    tx,
    cli,
    'wait',
    'Wait until a transaction is mined or final; exit code 1 if it fails or is cancelled.',
  )
    .argument('<id>', ID)
    .option('--for <state>', 'mined or final', milestone, 'final')
    .option('--timeout <seconds>', 'how long to wait; exit code 7 afterwards', WAIT_S)
    .action(async (id: string, given: { for: Milestone; timeout: string }) =>
      waitAndPrint(cli, command, id, given.for, given.timeout),
    )
  addExamples(command, ['svc tx wait $TRANSACTION'])
}

function registerSpeedUp(tx: Command, cli: Cli): void {
  const command = txCommand(tx, cli, 'speed-up', 'Raise the fees of a transaction at once.')
    .argument('<id>', ID)
    .option('--max-fee <amount>', 'new highest fee for a unit of gas, such as 80gwei')
    .action(async (id: string, { maxFee }: { maxFee?: string }) => {
      const { weiOf } = await import('../transactions/amounts.ts')
      const max_fee_per_gas = maxFee === undefined ? undefined : weiOf('--max-fee', maxFee)
      const client = await clientOf(cli, command)
      const fields = withoutUndefined({ max_fee_per_gas })
      await printTransaction(cli, command, await client.transactions.speedUp(id, fields))
    })
  addExamples(command, ['svc tx speed-up $TRANSACTION --max-fee 80gwei'])
}

function registerCancel(tx: Command, cli: Cli): void {
  const command = txCommand(
    tx,
    cli,
    'cancel',
    'Cancel a transaction. If it is signed already, an empty transaction competes with it.',
  )
    .argument('<id>', ID)
    .action(async (id: string) => {
      const client = await clientOf(cli, command)
      await printTransaction(cli, command, await client.transactions.cancel(id))
    })
  addExamples(command, ['svc tx cancel $TRANSACTION'])
}

/** Adds a command that uses the account key, or a usage key if an option names one. */
const txCommand = (tx: Command, cli: Cli, name: string, description: string) =>
  cli.withUsageKey(cli.command(tx, name, description))

function clientOf(cli: Cli, command: Command) {
  const { usageKeyFile, keyName } = command.opts<{ usageKeyFile?: string; keyName?: string }>()
  const isUsage = usageKeyFile !== undefined || keyName !== undefined
  return cli.client(command, { key: isUsage ? 'usage' : 'account' })
}

async function printTransaction(
  cli: Cli,
  command: Command,
  record: TransactionRecord,
): Promise<void> {
  const { transactionLines } = await import('../transactions/transaction-lines.ts')
  cli.print(command, record, () => transactionLines(record))
}

/** Sets the exit code: 1 if the transaction cannot get there any more, 7 if it is not that far yet. */
async function waitAndPrint(
  cli: Cli,
  command: Command,
  id: string,
  state: Milestone,
  timeout: string,
): Promise<void> {
  const timeoutMs = integerOf('--timeout', timeout) * 1000
  const client = await clientOf(cli, command)
  const record = await client.waitForTransaction(id, state, { timeoutMs })
  await printTransaction(cli, command, record)
  if (record.state === 'final' || record.state === state) return
  cli.exit(hasEnded(record) ? EXIT.failed : EXIT.unavailable)
}

const hasEnded = ({ state }: TransactionRecord) =>
  state === 'failed' || state === 'cancelled' || state === 'replaced'

function milestone(text: string): Milestone {
  if (text === 'mined' || text === 'final') return text
  throw new InvalidArgumentError('Expected mined or final.')
}
