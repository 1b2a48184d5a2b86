import type { Command } from 'commander'
import { UsageError } from '../../terminal.ts'

export type GivenTransactions = {
  transactionsTo?: string
  transactionsFrom?: string
  selector?: string
  minValue?: string
  transactionStatus?: string
}

export function withTransactionOptions(command: Command): Command {
  return command
    .option(
      '--transactions-to <addresses>',
      'chain events: fire on transactions to one of these addresses, separated by commas, instead of on an event',
    )
    .option(
      '--transactions-from <addresses>',
      'chain events: fire on transactions from one of these addresses',
    )
    .option(
      '--selector <selectors>',
      'transactions: first four bytes of the input, such as 0xa9059cbb; several separated by commas',
    )
    .option('--min-value <wei>', 'transactions: minimum value in wei')
    .option(
      '--transaction-status <status>',
      'transactions: success, reverted or any (default: success)',
    )
}

/** @returns `config.transactions`, or undefined if no party is given */
export function transactionsOf(given: GivenTransactions): Record<string, unknown> | undefined {
  const {
    transactionsTo: to,
    transactionsFrom: from,
    selector,
    minValue,
    transactionStatus: status,
  } = given
  const isOnParty = to !== undefined || from !== undefined
  if (!isOnParty && [selector, minValue, status].some((one) => one !== undefined))
    throw new UsageError(
      '--selector, --min-value and --transaction-status need --transactions-to or --transactions-from',
    )
  if (!isOnParty) return undefined
  return {
    ...(to !== undefined && { to: oneOrList(to) }),
    ...(from !== undefined && { from: oneOrList(from) }),
    ...(selector !== undefined && { selector: oneOrList(selector) }),
    ...(minValue !== undefined && { min_value: minValue }),
    ...(status !== undefined && { status }),
  }
}

function oneOrList(text: string): string | string[] {
  const values = text.split(',').map((value) => value.trim())
  return values.length === 1 ? values[0]! : values
}
