import { z } from 'zod'
import {
  type ReceiptTransaction,
  receiptTransactionSchema,
} from '../../../shared/receipts/receipt-transaction.ts'
import type { LogLine } from '../../../shared/wire/log-line.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { receiptClaims } from '../format/receipt-claims.ts'
import { truncateText, prettyJson, type DisplayedText } from './pretty-json.ts'

export type RunView = Omit<RunRecord, 'input' | 'response' | 'error' | 'logs'> & {
  input: DisplayedText
  /** Response of the action; null unless the run has succeeded. */
  response: DisplayedText | null
  error: DisplayedText | null
  logs: LogLine[]
  logsAreCut: boolean
  event: RunEventView | null
  /** From the unverified receipt. Null if the run has started, but has no receipt (yet). */
  transactions: readonly ReceiptTransaction[] | null
  /** Unverified claims of the receipt; null if there is no receipt or if the receipt cannot be decoded. */
  claims: [name: string, value: string][] | null
}

export type RunWithTransactions = Pick<RunView, 'id' | 'transactions' | 'finished_at'>

export type RunEventView = {
  chain: string
  block: string
  hash: string
  /** Interval of a trigger on blocks. Empty for logs. */
  every: string
  transaction: string
  /** Empty unless a transaction fired the run, as are `from`, `to`, `value` and `outcome`. */
  from: string
  to: string
  value: string
  outcome: string
  contract: string
  signature: string
  decode: string
  decoded: [name: string, value: string][]
}

// Limits on the shown console output, of which an action may write up to 100 KiB.
const LOG_LINES = 500
const LOG_CHARACTERS = 32 * 1024

const ARGUMENTS = 32
const ARGUMENT_CHARACTERS = 500

export function toRunView(run: RunRecord): RunView {
  const { input, response, error, logs, ...rest } = run
  const kept = truncateLogs(logs)
  return {
    ...rest,
    input: prettyJson(input),
    response: run.status === 'success' ? prettyJson(response) : null,
    error: error === null ? null : truncateText(error),
    logs: kept,
    logsAreCut: kept.length < logs.length,
    event: chainEventOf(input),
    transactions: transactionsOf(run),
    claims: run.receipt === null ? null : claimsOf(run.receipt),
  }
}

function truncateLogs(logs: readonly LogLine[]): LogLine[] {
  const kept: LogLine[] = []
  let characters = 0
  for (const line of logs.slice(0, LOG_LINES)) {
    characters += line.text.length
    if (characters > LOG_CHARACTERS) {
      // Shows at least the beginning of the first line if it is too long.
      if (kept.length === 0) kept.push({ ...line, text: line.text.slice(0, LOG_CHARACTERS) })
      break
    }
    kept.push(line)
  }
  return kept
}

function chainEventOf({ source, event }: Record<string, unknown>): RunEventView | null {
  if (source !== 'chain_event' || typeof event !== 'object' || event === null) return null
  // In a test run, the owner enters the event, so it can have any structure.
  const field = (name: string) => textOf(Reflect.get(event, name))
  const decoded: unknown = Reflect.get(event, 'decoded')
  return {
    chain: field('chain'),
    block: field('block_number'),
    hash: field('block_hash'),
    every: field('every'),
    transaction: field('transaction_hash'),
    from: field('from'),
    to: field('to'),
    value: field('value'),
    outcome: field('status'),
    contract: field('contract_address'),
    signature: field('event_signature'),
    decode: field('decode'),
    decoded:
      typeof decoded === 'object' && decoded !== null
        ? Object.entries(decoded)
            .slice(0, ARGUMENTS)
            .map(([name, value]) => [name, textOf(value)])
        : [],
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : prettyJson(value, ARGUMENT_CHARACTERS).text
  return text.slice(0, ARGUMENT_CHARACTERS)
}

function transactionsOf({ receipt, started_at }: RunRecord): ReceiptTransaction[] | null {
  if (receipt === null) return started_at === null ? [] : null
  const { success, data } = receiptTransactions.safeParse(receiptClaims(receipt)?.transactions)
  return success ? data : []
}

const receiptTransactions = z.array(receiptTransactionSchema)

function claimsOf(receipt: string): [name: string, value: string][] | null {
  const claims = receiptClaims(receipt)
  return claims ? Object.entries(claims).map(([name, value]) => [name, textOf(value)]) : null
}
