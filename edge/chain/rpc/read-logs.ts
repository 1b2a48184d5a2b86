import { type ChainLog, compareLogs } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import { badResponse } from '../../../shared/rpc/endpoint-error.ts'
import { parseHex, parseQuantity } from '../../../shared/rpc/quantities.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'

export type ParsedLog = Omit<ChainLog, 'blockTimestamp' | 'ordinal'> & {
  blockTimestamp: number | undefined
}

/**
 * Parses and validates logs, in their original order. Drops logs without topics.
 * @throws {EndpointError} `bad_answer`
 * @throws {NodeLaggingError} if a log belongs to a branch of the chain that the node is leaving
 */
export function parseLogs(value: unknown, query: LogQuery): ParsedLog[] {
  if (!Array.isArray(value)) throw badResponse('the logs are not an array')
  const addresses = query.addresses && new Set(query.addresses)
  const topics = query.topics.map((allowed) => (allowed === null ? null : new Set(allowed)))
  const logs = value.map(parseLog).filter((log) => log.topics.length > 0)
  for (const log of logs) {
    if (addresses && !addresses.has(log.address))
      throw badResponse('a log of an address that was not requested')
    for (const [place, allowed] of topics.entries())
      if (allowed && !allowed.has(log.topics[place] ?? ''))
        throw badResponse('a log with topics that were not requested')
  }
  return logs
}

function parseLog(value: unknown): ParsedLog {
  if (typeof value !== 'object' || value === null) throw badResponse('a log is not an object')
  const log = value as Record<string, unknown>
  if (log['removed'] === true)
    throw new NodeLaggingError('the node is leaving a branch of the chain')
  const topics = log['topics']
  if (!Array.isArray(topics) || topics.length > 4)
    throw badResponse("a log's topics are not an array of at most four")
  return {
    address: parseHex(log['address'], "a log's address", 20),
    topics: topics.map((topic) => parseHex(topic, "a log's topic", 32)),
    data: parseHex(log['data'], "a log's data"),
    blockNumber: parseQuantity(log['blockNumber'], "a log's block number"),
    blockHash: parseHex(log['blockHash'], "a log's block hash", 32),
    blockTimestamp: parseTimestamp(log['blockTimestamp']),
    transactionHash: parseHex(log['transactionHash'], "a log's transaction hash", 32),
    transactionIndex: parseQuantity(log['transactionIndex'], "a log's transaction index"),
    logIndex: parseQuantity(log['logIndex'], "a log's index"),
  }
}

/**
 * Parses a log's block timestamp. Returns undefined if the node omits the timestamp or returns 0; the caller then reads
 * the block's header instead.
 */
function parseTimestamp(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return parseQuantity(value, "a log's block timestamp") || undefined
}

/**
 * Sorts logs by block and index, and checks that they can belong to one chain.
 * @throws {EndpointError} `bad_answer`
 */
export function sortLogs(logs: readonly ParsedLog[], from: number, to: number): ParsedLog[] {
  const sorted = logs.toSorted(compareLogs)
  const transactions = new Map<string, ParsedLog>()
  let before: ParsedLog | undefined
  for (const log of sorted) {
    if (log.blockNumber < from || log.blockNumber > to)
      throw badResponse('a log of a block that was not requested')
    if (before?.blockNumber === log.blockNumber) {
      if (before.blockHash !== log.blockHash) throw badResponse('two hashes for one block')
      if (before.logIndex === log.logIndex) throw badResponse('a duplicate log')
      if (before.blockTimestamp !== log.blockTimestamp)
        throw badResponse('two timestamps for one block')
    } else if (before?.blockHash === log.blockHash) throw badResponse('two blocks with one hash')
    const first = transactions.get(log.transactionHash)
    if (!first) transactions.set(log.transactionHash, log)
    else if (
      first.blockNumber !== log.blockNumber ||
      first.transactionIndex !== log.transactionIndex
    )
      throw badResponse('a transaction in two places')
    before = log
  }
  return sorted
}

/**
 * @param sorted all logs of the query in these blocks, in order
 * @param timeOf returns the timestamp of a log's block, in Unix seconds
 */
export function withOrdinals(
  sorted: readonly ParsedLog[],
  timeOf: (log: ParsedLog) => number,
): ChainLog[] {
  const logCounts = new Map<string, number>()
  for (const { transactionHash: hash } of sorted)
    logCounts.set(hash, (logCounts.get(hash) ?? 0) + 1)
  const seen = new Map<string, number>()
  return sorted.map((log) => {
    const { transactionHash, address, topics, data } = log
    const blockTimestamp = timeOf(log)
    // Fast path: most logs are the only matching log of their transaction, so no comparison is needed.
    if (logCounts.get(transactionHash) === 1) return { ...log, blockTimestamp, ordinal: 0 }
    const identity = [transactionHash, address, ...topics, data].join()
    const ordinal = seen.get(identity) ?? 0
    seen.set(identity, ordinal + 1)
    return { ...log, blockTimestamp, ordinal }
  })
}
