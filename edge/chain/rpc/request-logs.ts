import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import { chunks } from '../../../shared/chunks.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { BlockRange } from '../subscription.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import type { Endpoint } from '../../../shared/rpc/endpoint.ts'
import { badResponse, EndpointError, rpcErrorKind } from '../../../shared/rpc/endpoint-error.ts'
import type { RpcResponse, RpcCall, RpcError } from '../../../shared/rpc/json-rpc.ts'
import { encodeQuantity } from '../../../shared/rpc/quantities.ts'
import { positionRejection, rangeRejection } from '../../../shared/rpc/range-errors.ts'
import {
  requireResult,
  requireHeader,
  headerByHashCall,
  headerCall,
  parseBlockHeader,
  isUnknownBlock,
} from '../../../shared/rpc/read-header.ts'
import { type ParsedLog, sortLogs, parseLogs, withOrdinals } from './read-logs.ts'
import { NodeLaggingError, RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'

type BlockSelector = { range: BlockRange } | { header: BlockHeader }

/**
 * @throws {RangeRejectedError} if the provider accepts only a smaller range
 * @throws {NodeLaggingError} if the node does not have the last block
 * @throws {EndpointError}
 */
export async function logsOfRange(
  endpoint: Endpoint,
  query: LogQuery,
  range: BlockRange,
  priority: ReadPriority,
): Promise<ChainLog[]> {
  const { block: last, found } = await requestLogs(endpoint, query, { range }, priority)
  const logs = sortLogs(found, range.from, range.to)
  const times = await timesOf(endpoint, logs, last, priority)
  return withOrdinals(logs, (log) => times.get(log.blockNumber)!)
}

/**
 * @throws {NodeLaggingError} if the node does not have the block
 * @throws {EndpointError}
 */
export async function logsOfHeader(
  endpoint: Endpoint,
  query: LogQuery,
  header: BlockHeader,
): Promise<ChainLog[]> {
  const { found } = await requestLogs(endpoint, query, { header }, 'live')
  const logs = sortLogs(found, header.number, header.number)
  if (logs.some(({ blockHash }) => blockHash !== header.hash))
    throw badResponse('logs of a block that was not requested')
  return withOrdinals(logs, () => header.timestamp)
}

/** Each log is returned by at most one of the queries. */
async function requestLogs(
  endpoint: Endpoint,
  query: LogQuery,
  blocks: BlockSelector,
  priority: ReadPriority,
): Promise<{ block: BlockHeader; found: ParsedLog[] }> {
  let limits = {
    addresses: endpoint.limits.addresses.at(endpoint.now()),
    topics: endpoint.limits.topics.at(endpoint.now()),
  }
  for (;;) {
    const parts = splitToLimits(query, limits)
    const calls = parts.map((part) => logsCall(part, blocks))
    const [blockResponse, ...logResponses] = await endpoint
      .call([blockCall(blocks), ...calls], priority)
      .catch((error: unknown) => asRejection(error))
    const refused = logResponses.find((answer) => 'error' in answer)?.error
    if (!refused) {
      const block = requireBlock(blockResponse!, blocks)
      const results = logResponses as { result: unknown }[]
      const found = results.flatMap(({ result }, n) => parseLogs(result, parts[n]!))
      return { block, found: found.filter(isRequested(query)) }
    }
    const smaller = smallerLimits(endpoint, refused, parts[0]!, limits, lengthOf(blocks))
    if (!smaller) throw rejectionError(refused, blockResponse!, blocks)
    limits = smaller
  }
}

const blockCall = (blocks: BlockSelector) =>
  'range' in blocks ? headerCall(blocks.range.to) : headerByHashCall(blocks.header.hash)

/**
 * Requires that the node has the last block of the range. A node returns no logs for blocks that it does not have, so
 * it must return this block in the same request.
 */
function requireBlock(answer: RpcResponse, blocks: BlockSelector): BlockHeader {
  if ('range' in blocks) return requireHeader(answer, blocks.range.to)
  const { header } = blocks
  const known = parseBlockHeader(requireResult(answer))
  if (known.hash !== header.hash || known.number !== header.number)
    throw badResponse('a block that was not requested')
  return known
}

/** Treats a response that exceeds our own size limit like a rejection by the provider. */
function asRejection(error: unknown): RpcResponse[] {
  if (!(error instanceof EndpointError) || error.kind !== 'too_large') throw error
  const answer = { error: { code: 413, message: '' } }
  return [answer, answer]
}

type QueryLimits = { addresses: number; topics: number }

/**
 * Returns the limits per query to try after a rejection, or undefined if smaller queries cannot help.
 * @param part the largest query of the rejected request
 */
function smallerLimits(
  endpoint: Endpoint,
  refused: RpcError,
  part: LogQuery,
  limits: QueryLimits,
  length: number,
): QueryLimits | undefined {
  const topics = Math.max(0, ...part.topics.map((allowed) => allowed?.length ?? 0))
  const requested = { addresses: part.addresses?.length ?? 0, topics }
  const refusal = positionRejection(refused)
  // Unless the number of addresses or topics was rejected, smaller queries help only if a single block has too many
  // logs for one response. Such a rejection concerns only that block, so no limit is recorded.
  if (!refusal && !(length === 1 && rangeRejection(refused, 1))) return undefined
  const larger = requested.addresses >= requested.topics ? 'addresses' : 'topics'
  const position = refusal && refusal.of !== 'either' ? refusal.of : larger
  if (requested[position] <= 1) return undefined
  if (!refusal) return { ...limits, [position]: requested[position] >> 1 }
  const limit = endpoint.limits[position]
  limit.recordRejection(requested[position], refusal.most, endpoint.now())
  return { ...limits, [position]: limit.at(endpoint.now()) }
}

/**
 * @throws {NodeLaggingError}
 * @throws {EndpointError} if the endpoint also fails to return the block
 */
function rejectionError(
  refused: RpcError,
  blockResponse: RpcResponse,
  blocks: BlockSelector,
): Error {
  const length = lengthOf(blocks)
  const refusal = rangeRejection(refused, length)
  if (refusal && length > 1) return new RangeRejectedError(refusal.blocks)
  if (isUnknownBlock(refused)) return new NodeLaggingError('the node does not have the block')
  // Checks whether the node has the block, because the errors for logs of a missing block are too varied to list.
  if (!refusal) requireBlock(blockResponse, blocks)
  return new EndpointError(rpcErrorKind(refused.code), { perhapsRequest: true })
}

const lengthOf = (blocks: BlockSelector) =>
  'range' in blocks ? blocks.range.to - blocks.range.from + 1 : 1

/**
 * Splits a query into parts that fit the limits. The first part is at least as large as the others, because limits are
 * learned from it. With one topic per part, three positions of 100 topics each would need a million parts. If the
 * number of parts would exceed `TOPIC_PARTS_MAX`, later positions therefore match any topic, and the logs are filtered
 * afterwards.
 */
function splitToLimits({ addresses, topics }: LogQuery, limits: QueryLimits): LogQuery[] {
  const some = addresses === null ? [null] : chunks([...new Set(addresses)], limits.addresses)
  let parts: LogQuery['topics'][] = [[]]
  for (const [position, allowed] of topics.entries()) {
    const choices = allowed === null ? [null] : chunks([...new Set(allowed)], limits.topics)
    const isTooMany = position > 0 && parts.length * choices.length > TOPIC_PARTS_MAX
    parts = parts.flatMap((part) =>
      (isTooMany ? [null] : choices).map((choice) => [...part, choice]),
    )
  }
  return some.flatMap((among) => parts.map((part) => ({ addresses: among, topics: part })))
}

/** Maximum number of parts into which the topics after the first may split a query. */
const TOPIC_PARTS_MAX = 16

/** Returns a predicate for logs that match the query, because the parts of a split query may match more logs. */
function isRequested({ topics }: LogQuery): (log: ParsedLog) => boolean {
  const sets = topics.map((allowed) => allowed && new Set(allowed))
  return (log) =>
    sets.every((allowed, position) => !allowed || allowed.has(log.topics[position] ?? ''))
}

/** Omits trailing nulls in the topics, because some providers reject them. */
function logsCall({ addresses, topics }: LogQuery, blocks: BlockSelector): RpcCall {
  const filter = {
    ...(addresses !== null && { address: addresses.length === 1 ? addresses[0] : addresses }),
    topics: topics
      .slice(0, topics.findLastIndex((allowed) => allowed !== null) + 1)
      .map((allowed) => (allowed?.length === 1 ? allowed[0] : allowed)),
  }
  const where =
    'range' in blocks
      ? { fromBlock: encodeQuantity(blocks.range.from), toBlock: encodeQuantity(blocks.range.to) }
      : { blockHash: blocks.header.hash }
  return { method: 'eth_getLogs', params: [{ ...filter, ...where }] }
}

/**
 * Returns block timestamps by block number. They come from the logs or from the block's header, which must have the
 * same hash as the block in the logs.
 */
async function timesOf(
  endpoint: Endpoint,
  logs: readonly ParsedLog[],
  last: BlockHeader,
  priority: ReadPriority,
): Promise<Map<number, number>> {
  const blocks = new Map(logs.map((log) => [log.blockNumber, log]))
  const unknown = [...blocks.values()].filter(
    ({ blockNumber, blockTimestamp }) =>
      blockTimestamp === undefined && blockNumber !== last.number,
  )
  const numbers = unknown.map(({ blockNumber }) => blockNumber)
  const headers = [last, ...(await headersAt(endpoint, numbers, priority))]
  for (const header of headers) {
    const log = blocks.get(header.number)
    if (log && log.blockHash !== header.hash) throw new NodeLaggingError('logs of a replaced block')
    if (log?.blockTimestamp !== undefined && log.blockTimestamp !== header.timestamp)
      throw badResponse('two timestamps for one block')
  }
  return new Map([
    ...[...blocks].flatMap(([number, { blockTimestamp: time }]) =>
      time === undefined ? [] : [[number, time] as const],
    ),
    ...headers.map(({ number, timestamp }) => [number, timestamp] as const),
  ])
}

/**
 * @throws {NodeLaggingError}
 * @throws {EndpointError}
 */
export async function headersAt(
  endpoint: Endpoint,
  numbers: readonly number[],
  priority: ReadPriority,
): Promise<BlockHeader[]> {
  if (numbers.length === 0) return []
  const answers = await endpoint.call(numbers.map(headerCall), priority)
  return answers.map((answer, n) => requireHeader(answer, numbers[n]!))
}
