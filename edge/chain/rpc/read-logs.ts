/** Validates results of `eth_getLogs` against the request and for consistency. */
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import { badAnswer } from './endpoint-failure.ts'
import { hexIn, numberIn } from './quantities.ts'
import { NodeLags } from './rpc-failures.ts'

export type FoundLog = Omit<ChainLog, 'blockTimestamp' | 'ordinal'> & {
  blockTimestamp: number | undefined
}

/**
 * Keeps the order. Drops logs without topics.
 * @param value result of an `eth_getLogs` call
 * @throws {EndpointFailed} `bad_answer`
 * @throws {NodeLags} if a log belongs to a branch of the chain that the node is leaving
 */
export function logsIn(value: unknown, query: LogQuery): FoundLog[] {
  if (!Array.isArray(value)) throw badAnswer('the logs are not an array')
  const addresses = new Set(query.addresses)
  const topics = query.topics.map((allowed) => (allowed === null ? null : new Set(allowed)))
  const logs = value.map(logIn).filter((log) => log.topics.length > 0)
  for (const log of logs) {
    if (!addresses.has(log.address)) throw badAnswer('a log of an address that was not requested')
    for (const [place, allowed] of topics.entries())
      if (allowed && !allowed.has(log.topics[place] ?? ''))
        throw badAnswer('a log with topics that were not requested')
  }
  return logs
}

function logIn(value: unknown): FoundLog {
  if (typeof value !== 'object' || value === null) throw badAnswer('a log is not an object')
  const log = value as Record<string, unknown>
  if (log['removed'] === true) throw new NodeLags('the node is leaving a branch of the chain')
  const topics = log['topics']
  if (!Array.isArray(topics) || topics.length > 4)
    throw badAnswer("a log's topics are not an array of at most four")
  return {
    address: hexIn(log['address'], "a log's address", 20),
    topics: topics.map((topic) => hexIn(topic, "a log's topic", 32)),
    data: hexIn(log['data'], "a log's data"),
    blockNumber: numberIn(log['blockNumber'], "a log's block number"),
    blockHash: hexIn(log['blockHash'], "a log's block hash", 32),
    blockTimestamp: timeIn(log['blockTimestamp']),
    transactionHash: hexIn(log['transactionHash'], "a log's transaction hash", 32),
    transactionIndex: numberIn(log['transactionIndex'], "a log's transaction index"),
    logIndex: numberIn(log['logIndex'], "a log's index"),
  }
}

/** Some nodes omit the timestamp or return 0. The block's header is then read instead. */
function timeIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return numberIn(value, "a log's block timestamp") || undefined
}

/**
 * Sorts by block and index, and checks that the logs can belong to one chain.
 * @throws {EndpointFailed} `bad_answer`
 */
export function inOrder(logs: readonly FoundLog[], from: number, to: number): FoundLog[] {
  const sorted = logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const transactions = new Map<string, FoundLog>()
  let before: FoundLog | undefined
  for (const log of sorted) {
    if (log.blockNumber < from || log.blockNumber > to)
      throw badAnswer('a log of a block that was not requested')
    if (before?.blockNumber === log.blockNumber) {
      if (before.blockHash !== log.blockHash) throw badAnswer('two hashes for one block')
      if (before.logIndex === log.logIndex) throw badAnswer('a duplicate log')
      if (before.blockTimestamp !== log.blockTimestamp)
        throw badAnswer('two timestamps for one block')
    } else if (before?.blockHash === log.blockHash) throw badAnswer('two blocks with one hash')
    const first = transactions.get(log.transactionHash)
    if (!first) transactions.set(log.transactionHash, log)
    else if (
      first.blockNumber !== log.blockNumber ||
      first.transactionIndex !== log.transactionIndex
    )
      throw badAnswer('a transaction in two places')
    before = log
  }
  return sorted
}

/**
 * @param sorted all logs of the query in these blocks, in order
 * @param timeOf returns the time of a log's block, in Unix seconds
 */
export function withOrdinals(
  sorted: readonly FoundLog[],
  timeOf: (log: FoundLog) => number,
): ChainLog[] {
  const logsOf = new Map<string, number>()
  for (const { transactionHash: hash } of sorted) logsOf.set(hash, (logsOf.get(hash) ?? 0) + 1)
  const seen = new Map<string, number>()
  return sorted.map((log) => {
    const { transactionHash, address, topics, data } = log
    const blockTimestamp = timeOf(log)
    // Most logs are the only matching log of their transaction, and need no comparison.
    if (logsOf.get(transactionHash) === 1) return { ...log, blockTimestamp, ordinal: 0 }
    const identity = [transactionHash, address, ...topics, data].join()
    const ordinal = seen.get(identity) ?? 0
    seen.set(identity, ordinal + 1)
    return { ...log, blockTimestamp, ordinal }
  })
}
