import type { Command } from 'commander'
import { withoutUndefined } from '../../json/without-undefined.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'

export function registerTxDefaults(tx: Command, cli: Cli): void {
  const defaults = tx
    .command('defaults')
    .description('Show and change the defaults of the account for transactions on each chain.')
  registerShow(defaults, cli)
  registerSet(defaults, cli)
}

function registerShow(defaults: Command, cli: Cli): void {
  const command = cli
    .command(defaults, 'show', 'Show the highest fees, and the balances that count as low.')
    .action(async () => {
      const client = await cli.client(command, { key: 'account' })
      const records = await client.transactions.defaults()
      const { defaultsLines } = await import('../transactions/transaction-lines.ts')
      cli.print(command, records, () =>
        records.length === 0 ? ['no chains'] : defaultsLines(records),
      )
    })
  addExamples(command, ['svc tx defaults show'])
}

type Given = { maxFee?: string; lowBalance?: string }

function registerSet(defaults: Command, cli: Cli): void {
  const command = cli
    .command(
      defaults,
      'set',
      'Change the defaults on a chain. Without an option, its value is kept.',
    )
    .argument('<chain>', 'name or ID of the chain')
    .option('--max-fee <amount>', 'highest fee for a unit of gas, such as 40gwei, or none')
    .option('--low-balance <amount>', 'balance that counts as low, such as 0.05ether, or none')
    .action(async (chain: string, { maxFee, lowBalance }: Given) => {
      if (maxFee === undefined && lowBalance === undefined)
        throw new UsageError('Name what to change: --max-fee, --low-balance, or both.')
      const { weiOf } = await import('../transactions/amounts.ts')
      /** Returns undefined for no default. */
      const changed = (option: string, text: string | undefined, before?: string | null) => {
        if (text === undefined) return before ?? undefined
        return text === 'none' ? undefined : weiOf(option, text)
      }
      const client = await cli.client(command, { key: 'account' })
      const known = await client.transactions.defaults()
      const name = chain.toLowerCase()
      const before = known.find((one) => one.chain === name || String(one.chain_id) === name)
      const fields = {
        max_fee_per_gas: changed('--max-fee', maxFee, before?.max_fee_per_gas),
        low_balance: changed('--low-balance', lowBalance, before?.low_balance),
      }
      const record = await client.transactions.setDefaults({ chain, ...withoutUndefined(fields) })
      const { defaultsLines } = await import('../transactions/transaction-lines.ts')
      cli.print(command, record, () => defaultsLines([record]))
    })
  addExamples(command, [
    'svc tx defaults set ethereum --max-fee 40gwei --low-balance 0.05ether',
    'svc tx defaults set ethereum --max-fee none',
  ])
}
