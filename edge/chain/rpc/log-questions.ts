/** Requests logs from one endpoint, split to fit its limits, in one batch with the last block of the range. */
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
 * @throws {NodeLags} if the node does not have this block
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
    throw badAnswer('logs of another block than was asked for')
  return withOrdinals(logs, () => header.timestamp)
}

/** Requests logs in as many parts as the endpoint's limits require. No log matches more than one part. */
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
 * Returns the last block of the request. Nodes return no logs for blocks that they do not have, so they must prove in
 * the same request that they have the block.
 */
function blockIn(answer: RpcAnswer, blocks: Blocks): BlockHeader {
  if ('range' in blocks) return headerAt(answer, blocks.range.to)
  const { header } = blocks
  const known = headerIn(existing(answer))
  if (known.hash !== header.hash || known.number !== header.number)
    throw badAnswer('another block than was asked for')
  return known
}

/** Treats a response above our own limit like a provider's rejection. */
function tooLarge(error: unknown): RpcAnswer[] {
  if (!(error instanceof EndpointFailed) || error.kind !== 'too_large') throw error
  const answer = { error: { code: 413, message: '' } }
  return [answer, answer]
}

type Most = { addresses: number; topics: number }

/**
 * Returns how many addresses and topics to try per request, or undefined if fewer of them cannot help.
 * @param part the largest part of the request
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
  // Unless the provider rejected a position, smaller parts help only if one block has too many logs for a response.
  // That is specific to the block, so no limit is recorded.
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
 * @throws {NodeLags}
 * @throws {EndpointFailed} if the endpoint also fails to return the block
 */
function whyRefused(refused: RpcError, answered: RpcAnswer, blocks: Blocks): Error {
  const length = lengthOf(blocks)
  const refusal = rangeRefusal(refused, length)
  if (refusal && length > 1) return new RangeRefused(refusal.blocks)
  if (isUnknownBlock(refused)) return new NodeLags('the node does not have a block')
  // Requests for logs of missing blocks fail in more ways than can be listed, so check that the node has the block.
  if (!refusal) blockIn(answered, blocks)
  return new EndpointFailed(rpcErrorKind(refused.code), { perhapsQuestion: true })
}

const lengthOf = (blocks: Blocks) =>
  'range' in blocks ? blocks.range.to - blocks.range.from + 1 : 1

/**
 * Splits a query into parts that the endpoint accepts. The first part is as large as any other, because limits are
 * learned from it. With three positions of 100 topics each, an endpoint that accepts one topic would need a million
 * parts. Beyond a limit, later positions are left open and the logs are filtered afterwards.
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

/** Limit on the parts of a query that topics after the first may create. */
const TOPIC_PARTS_MAX = 16

/** Returns a filter for logs of the whole query, because its parts may have requested more. */
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

/** Omits trailing nulls, which some providers reject. */
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

/**
 * Returns the time of each block with logs, from the logs or from the block's header, which must have the same hash.
 */
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
    if (log && log.blockHash !== header.hash) throw new NodeLags('logs of a block that is replaced')
    if (log?.blockTimestamp !== undefined && log.blockTimestamp !== header.timestamp)
      throw badAnswer('two times of one block')
  }
  return new Map([
    ...[...blocks].flatMap(([number, { blockTimestamp: time }]) =>
      time === undefined ? [] : [[number, time] as const],
    ),
    ...headers.map(({ number, timestamp }) => [number, timestamp] as const),
  ])
}

/**
 * Fetches headers by block number, in this order.
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
