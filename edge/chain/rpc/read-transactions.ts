import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { badResponse } from '../../../shared/rpc/endpoint-error.ts'
import { parseBigQuantity, parseHex, parseQuantity } from '../../../shared/rpc/quantities.ts'
import { parseBlockHeader } from '../../../shared/rpc/read-header.ts'
import type { Transaction, TransactionSelection } from '../matching/transaction-filter.ts'
import type { TransactionReceipt } from '../transaction-mark.ts'

export type BlockTransactions = { header: BlockHeader; transactions: Transaction[] }

/**
 * Parses a block with its transactions. Returns only transactions that the selection matches.
 * @throws {EndpointError} `bad_answer`
 */
export function parseBlockTransactions(
  value: unknown,
  selection: TransactionSelection,
): BlockTransactions {
  const header = parseBlockHeader(value)
  const list: unknown = Reflect.get(Object(value), 'transactions')
  if (!Array.isArray(list)) throw badResponse("a block's transactions are not an array")
  const transactions: Transaction[] = []
  let before = -1
  for (const one of list) {
    const fields = fieldsOf(one, 'a transaction')
    const index = parseQuantity(fields['transactionIndex'], "a transaction's index")
    if (index <= before) throw badResponse('the transactions are not in order')
    before = index
    const from = parseHex(fields['from'], "a transaction's sender", 20)
    const to = parseRecipient(fields['to'])
    if (!selection.mayMatch({ from, to })) continue
    const transaction = {
      hash: parseHex(fields['hash'], "a transaction's hash", 32),
      index,
      from,
      to,
      value: parseBigQuantity(fields['value'], "a transaction's value").toString(),
      input: parseHex(fields['input'], "a transaction's input"),
    }
    if (selection.matches(transaction)) transactions.push(transaction)
  }
  if (new Set(transactions.map(({ hash }) => hash)).size < transactions.length)
    throw badResponse('a transaction occurs twice')
  return { header, transactions }
}

/** Nodes return null for the creation of a contract. Some omit the field. */
function parseRecipient(to: unknown): string | null {
  return to === null || to === undefined ? null : parseHex(to, "a transaction's recipient", 20)
}

/**
 * Parses receipts of a block. Returns those of the selected transactions, by the hash of their transaction.
 * @throws {EndpointError} `bad_answer`
 * @throws {NodeLaggingError} if a receipt belongs to another block, because the node is leaving a branch of the chain
 */
export function parseReceipts(
  values: readonly unknown[],
  blockHash: string,
  selected: ReadonlySet<string>,
): Map<string, TransactionReceipt> {
  const receipts = new Map<string, TransactionReceipt>()
  for (const value of values) {
    const fields = fieldsOf(value, 'a receipt')
    const hash = parseHex(fields['transactionHash'], "a receipt's transaction hash", 32)
    if (!selected.has(hash)) continue
    if (parseHex(fields['blockHash'], "a receipt's block hash", 32) !== blockHash)
      throw new NodeLaggingError('receipts of a replaced block')
    receipts.set(hash, {
      status: parseStatus(fields['status']),
      gasUsed: parseQuantity(fields['gasUsed'], "a receipt's gas"),
    })
  }
  return receipts
}

function parseStatus(status: unknown): TransactionReceipt['status'] {
  if (status === undefined || status === null) return null
  const code = parseQuantity(status, "a receipt's status")
  if (code > 1) throw badResponse("a receipt's status is neither 0 nor 1")
  return code === 1 ? 'success' : 'reverted'
}

function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw badResponse(`${what} is not an object`)
  return value as Record<string, unknown>
}
