import {
  TRANSACTION_ADDRESSES_MAX,
  TRANSACTION_SELECTORS_MAX,
  TRANSACTION_START_BLOCKS_MAX,
} from '../../shared/limits.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import { TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { readChain, readStartBlock } from './chain-event-config.ts'
import type { LogFilter } from './matching/log-filter.ts'
import type { TransactionFilter } from './matching/transaction-filter.ts'
import {
  isOnTransactions,
  transactionsFilter,
  type TransactionsFilter,
  type TransactionStatus,
} from './transaction-mark.ts'

export type TransactionsConfig = {
  chain: ChainName
  filter: TransactionsFilter
  startBlock: number | null
}

/**
 * Returns the earliest allowed start block of a trigger on transactions if the configured one is too far before the
 * head. The limit exists because each block before the head is read in full for this trigger alone.
 */
export function earliestStart(
  { filter, startBlock }: { filter: LogFilter; startBlock: number | null },
  head: number,
): number | undefined {
  const earliest = head - TRANSACTION_START_BLOCKS_MAX
  const isEarly = isOnTransactions(filter) && startBlock !== null && startBlock < earliest
  return isEarly ? earliest : undefined
}

const KEYS = ['chain', 'transactions', 'start_block']
const FIELDS = ['to', 'from', 'selector', 'min_value', 'status']

/**
 * @param config its `transactions` is set
 * @throws {TriggerRejectedError} if a key is invalid; the error names the first such key
 */
export function readTransactionsConfig(config: Record<string, unknown>): TransactionsConfig {
  for (const key of Object.keys(config))
    if (!KEYS.includes(key))
      refuse(
        key.slice(0, 64),
        'cannot be combined with transactions',
        `Omit it: a chain_event on transactions has ${KEYS.join(', ')}.`,
      )
  const chain = readChain(config.chain)
  const { transactions } = config
  const fix = `Send an object with ${FIELDS.join(', ')}; to or from is required.`
  if (typeof transactions !== 'object' || transactions === null || Array.isArray(transactions))
    return refuse('transactions', 'expected an object', fix)
  const other = Object.keys(transactions).find((key) => !FIELDS.includes(key))
  if (other !== undefined) refuse(`transactions.${other.slice(0, 64)}`, 'unknown field', fix)
  const fields = transactions as Record<string, unknown>
  const filter: TransactionFilter = {
    ...listOf('to', fields.to, ADDRESSES),
    ...listOf('from', fields.from, ADDRESSES),
    ...selectorsOf(fields.selector),
    ...minValueOf(fields.min_value),
  }
  if (!filter.to && !filter.from)
    refuse('transactions', 'to or from is required', 'Send the address of a party.')
  return {
    chain,
    filter: transactionsFilter(filter, readStatus(fields.status)),
    startBlock: readStartBlock(config.start_block),
  }
}

type ListRules = { pattern: RegExp; expected: string; max: number; fix: string }

const ADDRESSES: ListRules = {
  pattern: /^0x[0-9a-fA-F]{40}$/,
  expected: 'expected 0x followed by 40 hex digits',
  max: TRANSACTION_ADDRESSES_MAX,
  fix: `Send an address, or a list of 1 to ${TRANSACTION_ADDRESSES_MAX} addresses.`,
}

const SELECTORS: ListRules = {
  pattern: /^0x[0-9a-fA-F]{8}$/,
  expected: 'expected 0x followed by 8 hex digits',
  max: TRANSACTION_SELECTORS_MAX,
  fix: `Send the first four bytes of the input, or a list of 1 to ${TRANSACTION_SELECTORS_MAX}.`,
}

function selectorsOf(value: unknown): Pick<TransactionFilter, 'selectors'> {
  const { selector } = listOf('selector', value, SELECTORS)
  return selector ? { selectors: selector } : {}
}

/** Accepts one value or a list. Returns distinct values in lower case, in ascending order. */
function listOf<Key extends string>(
  key: Key,
  value: unknown,
  { pattern, expected, max, fix }: ListRules,
): { [key in Key]?: string[] } {
  if (value === undefined || value === null) return {}
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.length > max)
    refuse(`transactions.${key}`, `${values.length} values`, fix)
  const found = new Set<string>()
  for (const [at, one] of values.entries()) {
    if (typeof one !== 'string' || !pattern.test(one))
      return refuse(`transactions.${key}${Array.isArray(value) ? `[${at}]` : ''}`, expected, fix)
    found.add(one.toLowerCase())
  }
  return { [key]: [...found].toSorted() } as { [key in Key]?: string[] }
}

function minValueOf(value: unknown): Pick<TransactionFilter, 'minValue'> {
  if (value === undefined || value === null) return {}
  const isDecimal = typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value)
  if (!isDecimal || BigInt(value) >= 2n ** 256n)
    return refuse(
      'transactions.min_value',
      'expected a string of decimal digits',
      'Send the value in wei, such as "1000000000000000000" for one ether.',
    )
  return { minValue: value }
}

/** Returns null if any status matches. */
function readStatus(status: unknown): TransactionStatus | null {
  if (status === undefined || status === null || status === 'success') return 'success'
  if (status === 'reverted') return status
  if (status === 'any') return null
  return refuse('transactions.status', 'unknown status', 'Send success, reverted or any.')
}

function refuse(key: string, problem: string, fix: string): never {
  throw new TriggerRejectedError({ reason: 'field', field: `config.${key}`, problem, fix })
}
