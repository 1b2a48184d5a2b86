import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { chunks } from '../../../shared/chunks.ts'
import type { Endpoint } from '../../../shared/rpc/endpoint.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import { badResponse, EndpointError, rpcErrorKind } from '../../../shared/rpc/endpoint-error.ts'
import type { RpcCall, RpcResponse } from '../../../shared/rpc/json-rpc.ts'
import { encodeQuantity } from '../../../shared/rpc/quantities.ts'
import { isUnknownBlock, requireResult } from '../../../shared/rpc/read-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { TransactionSelection } from '../matching/transaction-filter.ts'
import { transactionMark, type TransactionReceipt } from '../transaction-mark.ts'
import {
  type BlockTransactions,
  parseBlockTransactions,
  parseReceipts,
} from './read-transactions.ts'

/** A block to read. If `hash` is set, the block must have this hash. */
export type BlockToRead = { number: number; hash?: string }

const NO_RECEIPT = 'a transaction without a receipt'

/** Receipts per request, for nodes that do not return all receipts of a block. */
const RECEIPTS_AT_ONCE = 50

/**
 * Returns marks of the selected transactions in the blocks. Receipts are requested only for blocks with such
 * transactions.
 * @throws {NodeLaggingError} if the node does not have one of the blocks
 * @throws {EndpointError} with `perhapsRequest` if the response may have been too large, or if data of the transactions
 *   is malformed or missing. Some nodes do so for special transactions of their chain, and still serve logs.
 */
export async function transactionsOfBlocks(
  ...request: Parameters<typeof readTransactions>
): Promise<ChainLog[]> {
  try {
    return await readTransactions(...request)
  } catch (error) {
    if (!(error instanceof EndpointError) || error.kind !== 'bad_answer') throw error
    throw new EndpointError(error.kind, { detail: error.detail, perhapsRequest: true })
  }
}

async function readTransactions(
  endpoint: Endpoint,
  blocks: readonly BlockToRead[],
  selection: TransactionSelection,
  priority: ReadPriority,
): Promise<ChainLog[]> {
  const read = await requestBlocks(endpoint, blocks, selection, priority)
  const selected = read.filter(({ transactions }) => transactions.length > 0)
  const receipts = await Promise.all(
    selected.map((block) => requestReceipts(endpoint, block, priority)),
  )
  return selected.flatMap(({ header, transactions }, at) =>
    transactions.map((transaction) => {
      const receipt = receipts[at]!.get(transaction.hash)
      if (!receipt) throw badResponse(NO_RECEIPT)
      return transactionMark(header, transaction, receipt)
    }),
  )
}

/** Requests fewer blocks at once if the response is too large. */
async function requestBlocks(
  endpoint: Endpoint,
  blocks: readonly BlockToRead[],
  selection: TransactionSelection,
  priority: ReadPriority,
): Promise<BlockTransactions[]> {
  let answers: RpcResponse[]
  try {
    answers = await endpoint.call(blocks.map(blockCall), priority)
  } catch (error) {
    if (!isTooLarge(error)) throw error
    if (blocks.length < 2) throw new EndpointError(error.kind, { perhapsRequest: true })
    const parts = chunks(blocks, Math.ceil(blocks.length / 2))
    const read: BlockTransactions[] = []
    for (const part of parts)
      read.push(...(await requestBlocks(endpoint, part, selection, priority)))
    return read
  }
  return answers.map((answer, at) => {
    const block = parseBlockTransactions(resultOf(answer), selection)
    const { number, hash } = blocks[at]!
    if (block.header.number !== number) throw badResponse('a block that was not requested')
    if (hash !== undefined && block.header.hash !== hash)
      throw new NodeLaggingError(`block ${number} does not have the expected hash`)
    return block
  })
}

const blockCall = ({ number }: BlockToRead): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [encodeQuantity(number), true],
})

/**
 * Requests the receipts of the selected transactions of a block: all receipts of the block in one call, or single
 * receipts if only one is needed or the node does not support that call.
 */
async function requestReceipts(
  endpoint: Endpoint,
  { header, transactions }: BlockTransactions,
  priority: ReadPriority,
): Promise<Map<string, TransactionReceipt>> {
  const hashes = transactions.map(({ hash }) => hash)
  const selected = new Set(hashes)
  const all =
    hashes.length > 1 && endpoint.limits.blockReceipts.isSupported(endpoint.now())
      ? await requestBlockReceipts(endpoint, header, priority)
      : undefined
  const receipts = parseReceipts(all ?? [], header.hash, selected)
  const missing = hashes.filter((hash) => !receipts.has(hash))
  const answers: RpcResponse[] = []
  for (const some of chunks(missing, RECEIPTS_AT_ONCE))
    answers.push(...(await endpoint.call(some.map(receiptCall), priority)))
  const others = parseReceipts(answers.map(receiptOf), header.hash, selected)
  return new Map([...receipts, ...others])
}

/** Returns undefined if the node does not support the method, or the response would be too large. */
async function requestBlockReceipts(
  endpoint: Endpoint,
  { number }: BlockHeader,
  priority: ReadPriority,
): Promise<unknown[] | undefined> {
  const call = { method: 'eth_getBlockReceipts', params: [encodeQuantity(number)] }
  try {
    const [answer] = await endpoint.call([call], priority)
    if ('error' in answer! && !isUnknownBlock(answer.error)) {
      endpoint.limits.blockReceipts.recordRejection(endpoint.now())
      return undefined
    }
    if ('error' in answer! || answer!.result === null) return undefined
    const { result } = answer!
    if (!Array.isArray(result)) throw badResponse('the receipts are not an array')
    return result
  } catch (error) {
    if (isTooLarge(error)) return undefined
    throw error
  }
}

const receiptCall = (hash: string): RpcCall => ({
  method: 'eth_getTransactionReceipt',
  params: [hash],
})

function receiptOf(answer: RpcResponse): unknown {
  if ('result' in answer && answer.result === null) throw badResponse(NO_RECEIPT)
  return resultOf(answer)
}

/** Any error may mean that the response is too large, so fewer blocks may succeed. */
function resultOf(answer: RpcResponse): unknown {
  if ('error' in answer && !isUnknownBlock(answer.error))
    throw new EndpointError(rpcErrorKind(answer.error.code), { perhapsRequest: true })
  return requireResult(answer)
}

function isTooLarge(error: unknown): error is EndpointError {
  return error instanceof EndpointError && error.kind === 'too_large'
}
