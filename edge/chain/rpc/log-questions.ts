/** Requests logs with queries that fit the endpoint's limits, and the last block of the range in the same batch. */
import type { BlockHeader } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { BlockRange } from '../subscription.ts'
import type { ReadLane } from './chain-reader.ts'
import type { Endpoint } from './endpoint.ts'
import { badAnswer, EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import type { RpcAnswer, RpcCall, RpcError } from './json-rpc.ts'
import { quantity } from './quantities.ts'
import { positionRefusal, rangeRefusal } from './range-errors.ts'
import {
  existing,
  headerAt,
  headerByHashCall,
  headerCall,
  headerIn,
  isUnknownBlock,
} from './read-header.ts'
import { type FoundLog, inOrder, logsIn, withOrdinals } from './read-logs.ts'
import { NodeLags, RangeRefused } from './rpc-failures.ts'

type Blocks = { range: BlockRange } | { header: BlockHeader }

/**
 * @throws {RangeRefused} if the provider wants a smaller range
 * @throws {NodeLags} if the node does not have the last block
 * @throws {EndpointFailed}
 */
export async function logsOfRange(
  endpoint: Endpoint,
  query: LogQuery,
  range: BlockRange,
  lane: ReadLane,
): Promise<ChainLog[]> {
  const { block: last, found } = await ask(endpoint, query, { range }, lane)
  const logs = inOrder(found, range.from, range.to)
  const times = await timesOf(endpoint, logs, last, lane)
  return withOrdinals(logs, (log) => times.get(log.blockNumber)!)
}

/**
 * Requests the block by its hash.
 * @throws {NodeLags} if the node does not have the block
 * @throws {EndpointFailed}
 */
export async function logsOfHeader(
  endpoint: Endpoint,
  query: LogQuery,
  header: BlockHeader,
): Promise<ChainLog[]> {
  const { found } = await ask(endpoint, query, { header }, 'live')
  const logs = inOrder(found, header.number, header.number)
  if (logs.some(({ blockHash }) => blockHash !== header.hash))
    throw badAnswer('logs of a block that was not requested')
  return withOrdinals(logs, () => header.timestamp)
}

/** Uses as many queries as the endpoint's limits require. No log matches more than one of them. */
async function ask(
  endpoint: Endpoint,
  query: LogQuery,
  blocks: Blocks,
  lane: ReadLane,
): Promise<{ block: BlockHeader; found: FoundLog[] }> {
  let most = {
    addresses: endpoint.limits.addresses.at(endpoint.now()),
    topics: endpoint.limits.topics.at(endpoint.now()),
  }
  for (;;) {
    const parts = inParts(query, most)
    const calls = parts.map((part) => logsCall(part, blocks))
    const [answered, ...answers] = await endpoint
      .ask([blockCall(blocks), ...calls], lane)
      .catch((error: unknown) => tooLarge(error))
    const refused = answers.find((answer) => 'error' in answer)?.error
    if (!refused) {
      const block = blockIn(answered!, blocks)
      const results = answers as { result: unknown }[]
      const found = results.flatMap(({ result }, n) => logsIn(result, parts[n]!))
      return { block, found: found.filter(isAskedFor(query)) }
    }
    const smaller = smallerParts(endpoint, refused, parts[0]!, most, lengthOf(blocks))
    if (!smaller) throw whyRefused(refused, answered!, blocks)
    most = smaller
  }
}

const blockCall = (blocks: Blocks) =>
  'range' in blocks ? headerCall(blocks.range.to) : headerByHashCall(blocks.header.hash)

/**
 * A node returns no logs for blocks that it does not have, so it must prove in the same request that it has the last
 * block of the range.
 */
function blockIn(answer: RpcAnswer, blocks: Blocks): BlockHeader {
  if ('range' in blocks) return headerAt(answer, blocks.range.to)
  const { header } = blocks
  const known = headerIn(existing(answer))
  if (known.hash !== header.hash || known.number !== header.number)
    throw badAnswer('a block that was not requested')
  return known
}

/** Handles a response that exceeds our own size limit like a provider's rejection. */
function tooLarge(error: unknown): RpcAnswer[] {
  if (!(error instanceof EndpointFailed) || error.kind !== 'too_large') throw error
  const answer = { error: { code: 413, message: '' } }
  return [answer, answer]
}

type Most = { addresses: number; topics: number }

/**
 * Limits per query to try after a rejection; undefined if smaller queries cannot help.
 * @param part the largest query of the rejected request
 */
function smallerParts(
  endpoint: Endpoint,
  refused: RpcError,
  part: LogQuery,
  most: Most,
  length: number,
): Most | undefined {
  const topics = Math.max(0, ...part.topics.map((allowed) => allowed?.length ?? 0))
  const asked = { addresses: part.addresses.length, topics }
  const refusal = positionRefusal(refused)
  // Unless the number of addresses or topics was rejected, smaller queries help only if a single block has too many
  // logs for one response. This is specific to the block, so no limit is recorded.
  if (!refusal && !(length === 1 && rangeRefusal(refused, 1))) return undefined
  const larger = asked.addresses >= asked.topics ? 'addresses' : 'topics'
  const position = refusal && refusal.of !== 'either' ? refusal.of : larger
  if (asked[position] <= 1) return undefined
  if (!refusal) return { ...most, [position]: asked[position] >> 1 }
  const limit = endpoint.limits[position]
  limit.refused(asked[position], refusal.most, endpoint.now())
  return { ...most, [position]: limit.at(endpoint.now()) }
}

/**
 * Returns the error to throw.
 * @throws {NodeLags}
 * @throws {EndpointFailed} if the endpoint also fails to return the block
 */
function whyRefused(refused: RpcError, answered: RpcAnswer, blocks: Blocks): Error {
  const length = lengthOf(blocks)
  const refusal = rangeRefusal(refused, length)
  if (refusal && length > 1) return new RangeRefused(refusal.blocks)
  if (isUnknownBlock(refused)) return new NodeLags('the node does not have the block')
  // Log requests for a missing block fail in too many ways to list. Checks instead that the node has the block.
  if (!refusal) blockIn(answered, blocks)
  return new EndpointFailed(rpcErrorKind(refused.code), { perhapsQuestion: true })
}

const lengthOf = (blocks: Blocks) =>
  'range' in blocks ? blocks.range.to - blocks.range.from + 1 : 1

/**
 * The first part is as large as any other, because limits are learned from it. Three positions of 100 topics each would
 * need a million parts at one topic per part. Above `TOPIC_PARTS_MAX`, later positions therefore match any topic, and
 * the logs are filtered afterwards.
 */
function inParts({ addresses, topics }: LogQuery, most: Most): LogQuery[] {
  const some = chunks(addresses, most.addresses)
  let parts: LogQuery['topics'][] = [[]]
  for (const [position, allowed] of topics.entries()) {
    const choices = allowed === null ? [null] : chunks(allowed, most.topics)
    const isTooMany = position > 0 && parts.length * choices.length > TOPIC_PARTS_MAX
    parts = parts.flatMap((part) =>
      (isTooMany ? [null] : choices).map((choice) => [...part, choice]),
    )
  }
  return some.flatMap((among) => parts.map((part) => ({ addresses: among, topics: part })))
}

/** Parts into which the topics after the first may split a query. */
const TOPIC_PARTS_MAX = 16

/** Parts of a split query may match more logs than the query. */
function isAskedFor({ topics }: LogQuery): (log: FoundLog) => boolean {
  const sets = topics.map((allowed) => allowed && new Set(allowed))
  return (log) =>
    sets.every((allowed, position) => !allowed || allowed.has(log.topics[position] ?? ''))
}

function chunks(values: readonly string[], most: number): string[][] {
  const all = [...new Set(values)]
  const parts: string[][] = []
  for (let at = 0; at < all.length; at += most) parts.push(all.slice(at, at + most))
  return parts
}

/** Omits trailing nulls in the topics, which some providers reject. */
function logsCall({ addresses, topics }: LogQuery, blocks: Blocks): RpcCall {
  const filter = {
    address: addresses.length === 1 ? addresses[0] : addresses,
    topics: topics
      .slice(0, topics.findLastIndex((allowed) => allowed !== null) + 1)
      .map((allowed) => (allowed?.length === 1 ? allowed[0] : allowed)),
  }
  const where =
    'range' in blocks
      ? { fromBlock: quantity(blocks.range.from), toBlock: quantity(blocks.range.to) }
      : { blockHash: blocks.header.hash }
  return { method: 'eth_getLogs', params: [{ ...filter, ...where }] }
}

/** By block number, from the logs or from the header, which must have the same hash as the block in the logs. */
async function timesOf(
  endpoint: Endpoint,
  logs: readonly FoundLog[],
  last: BlockHeader,
  lane: ReadLane,
): Promise<Map<number, number>> {
  const blocks = new Map(logs.map((log) => [log.blockNumber, log]))
  const unknown = [...blocks.values()].filter(
    ({ blockNumber, blockTimestamp }) =>
      blockTimestamp === undefined && blockNumber !== last.number,
  )
  const numbers = unknown.map(({ blockNumber }) => blockNumber)
  const headers = [last, ...(await headersAt(endpoint, numbers, lane))]
  for (const header of headers) {
    const log = blocks.get(header.number)
    if (log && log.blockHash !== header.hash) throw new NodeLags('logs of a replaced block')
    if (log?.blockTimestamp !== undefined && log.blockTimestamp !== header.timestamp)
      throw badAnswer('two timestamps for one block')
  }
  return new Map([
    ...[...blocks].flatMap(([number, { blockTimestamp: time }]) =>
      time === undefined ? [] : [[number, time] as const],
    ),
    ...headers.map(({ number, timestamp }) => [number, timestamp] as const),
  ])
}

/**
 * In the order of the numbers.
 * @throws {NodeLags}
 * @throws {EndpointFailed}
 */
export async function headersAt(
  endpoint: Endpoint,
  numbers: readonly number[],
  lane: ReadLane,
): Promise<BlockHeader[]> {
  if (numbers.length === 0) return []
  const answers = await endpoint.ask(numbers.map(headerCall), lane)
  return answers.map((answer, n) => headerAt(answer, numbers[n]!))
}
