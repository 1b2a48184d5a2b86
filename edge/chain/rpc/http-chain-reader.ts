import type { BlockHeader, Tip } from '../../../shared/rpc/block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { EndpointHealth, ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import type { ChainReader, ContractReader } from './chain-reader.ts'
import { Connections } from './connections.ts'
import { Endpoint } from '../../../shared/rpc/endpoint.ts'
import { endpointAddress } from '../../../shared/rpc/endpoint-address.ts'
import { type EndpointCandidate, type EventLogger, Failover } from '../../../shared/rpc/failover.ts'
import { headersAt, logsOfHeader, logsOfRange } from './request-logs.ts'
import { type BlockToRead, transactionsOfBlocks } from './request-transactions.ts'
import type { TransactionSelection } from '../matching/transaction-filter.ts'
import type { Network } from '../../../shared/rpc/post-rpc.ts'
import { headerCall, parseBlockHeader, parseTaggedHeader } from '../../../shared/rpc/read-header.ts'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import { badResponse, EndpointError, rpcErrorKind } from '../../../shared/rpc/endpoint-error.ts'
import type { RpcResponse, RpcCall } from '../../../shared/rpc/json-rpc.ts'

type Options = Omit<Network, 'timeoutMs'> & {
  /** URLs of the chain's endpoints, the preferred one first. They may contain API keys. */
  endpoints: readonly string[]
  chainId: number
  random: () => number
  /** Logs events for operators. They identify endpoints by index, and failures by kind. */
  log: EventLogger
}

const TIMEOUT_MS = 10_000

/** Interval of head requests to unused endpoints, which detect lagging endpoints. */
const HEAD_PROBE_INTERVAL_MS = 30_000

/** Reads a chain over HTTP. Does not rely on any single endpoint to be available, complete or correct. */
export class HttpChainReader implements ChainReader, ContractReader {
  readonly #failover: Failover
  readonly #now: () => number
  #isProbing = false

  /** @throws {Error} if an endpoint's URL is invalid; the message contains the index of the endpoint */
  constructor({ endpoints, chainId, fetch, sleep, now, random, log }: Options) {
    const connections = new Connections()
    const network = { fetch, sleep, now, timeoutMs: TIMEOUT_MS }
    const clients = endpoints.map(
      (endpoint, place) =>
        new Endpoint(endpointAddress(endpoint, place), chainId, network, connections),
    )
    this.#failover = new Failover(clients, { now, random, log })
    this.#now = now
  }

  async tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip> {
    for (;;) {
      const lackingBefore = this.#failover.countLacking(tags)
      const { tip, candidate } = await this.#failover.request(
        'live',
        async (one) => {
          const read = await readTip(one.endpoint, tags)
          this.#failover.recordTip(one, read)
          return { tip: read, candidate: one }
        },
        tags,
      )
      const isWhole = tags.every((tag) => tip[tag] !== null)
      const isNew = this.#failover.countLacking(tags) > lackingBefore
      // Another endpoint may serve the tags. Each iteration finds at least one more endpoint that does not serve them,
      // so the loop terminates.
      if (!isWhole && isNew && this.#failover.canServe(tags)) continue
      this.#probeUnused(candidate)
      return tip
    }
  }

  async headers(from: number, to: number): Promise<BlockHeader[]> {
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    return await this.#failover.request('live', async ({ endpoint }) => {
      const headers = await headersAt(endpoint, numbers, 'live')
      for (const [n, header] of headers.entries())
        if (n > 0 && header.parentHash !== headers[n - 1]!.hash)
          throw new NodeLaggingError('headers of two branches')
      return headers
    })
  }

  async headersOf(
    numbers: readonly number[],
    priority: ReadPriority = 'live',
  ): Promise<BlockHeader[]> {
    if (numbers.length === 0) return []
    return await this.#failover.request(priority, ({ endpoint }) =>
      headersAt(endpoint, numbers, priority),
    )
  }

  async logs(
    query: LogQuery,
    from: number,
    to: number,
    priority: ReadPriority,
  ): Promise<ChainLog[]> {
    if (query.addresses?.length === 0 || from > to) return []
    return await this.#failover.request(priority, ({ endpoint }) =>
      logsOfRange(endpoint, query, { from, to }, priority),
    )
  }

  async logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]> {
    if (query.addresses?.length === 0) return []
    return await this.#failover.request('live', ({ endpoint }) =>
      logsOfHeader(endpoint, query, header),
    )
  }

  async transactions(
    blocks: readonly BlockToRead[],
    selection: TransactionSelection,
    priority: ReadPriority,
  ): Promise<ChainLog[]> {
    if (blocks.length === 0) return []
    return await this.#failover.request(priority, ({ endpoint }) =>
      transactionsOfBlocks(endpoint, blocks, selection, priority),
    )
  }

  async hasCode(address: string): Promise<boolean> {
    return await this.#failover.request('backfill', async ({ endpoint }) => {
      const [answer] = await endpoint.call([codeCall(address)], 'backfill')
      return parseHasCode(answer!)
    })
  }

  health(): EndpointHealth[] {
    return this.#failover.health()
  }

  /** Requests the head of one unused endpoint in the background, to update the endpoint's health and detect lag. */
  #probeUnused(inUse: EndpointCandidate): void {
    if (this.#isProbing) return
    const candidate = this.#failover.nextToProbe(inUse, HEAD_PROBE_INTERVAL_MS)
    if (!candidate) return
    this.#isProbing = true
    candidate.condition.headRequestedAt = this.#now()
    void this.#probeHead(candidate).finally(() => {
      this.#isProbing = false
    })
  }

  async #probeHead(candidate: EndpointCandidate): Promise<void> {
    const read = async ({ endpoint }: EndpointCandidate) => {
      const [answer] = await endpoint.call([headerCall('latest')], 'backfill')
      const latest = parseBlockHeader(answer && 'result' in answer ? answer.result : null)
      this.#failover.recordTip(candidate, { latest })
    }
    // Ignores the error, because `requestFrom` has already recorded the failure.
    await this.#failover.requestFrom(candidate, 'live', read).catch(() => {})
  }
}

const codeCall = (address: string): RpcCall => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
})

/** @throws {EndpointError} if the response is an error or malformed */
function parseHasCode(answer: RpcResponse): boolean {
  if ('error' in answer) throw new EndpointError(rpcErrorKind(answer.error.code))
  if (typeof answer.result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer.result))
    throw badResponse('the code is not hex')
  return answer.result !== '0x'
}

/**
 * @throws {EndpointError}
 * @throws {NodeLaggingError} if the block of a tag is above the head
 */
async function readTip(endpoint: Endpoint, tags: readonly ('safe' | 'finalized')[]): Promise<Tip> {
  const [answer, ...tagged] = await endpoint.call(
    [headerCall('latest'), ...tags.map(headerCall)],
    'live',
  )
  if (!answer || 'error' in answer) throw new EndpointError(rpcErrorKind(answer?.error.code ?? 0))
  if (answer.result === null) throw badResponse('no latest block')
  const tip: Tip = { latest: parseBlockHeader(answer.result) }
  for (const [n, tag] of tags.entries()) {
    const header = parseTaggedHeader(tagged[n]!)
    // Several nodes must share the URL, and the node that returned the head lags behind the node that returned the
    // tagged block.
    if (header && header.number > tip.latest.number)
      throw new NodeLaggingError('a final block is above the head')
    tip[tag] = header
  }
  return tip
}
