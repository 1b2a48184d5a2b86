import type { BlockHeader, Tip } from '../block-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, EndpointHealth, ReadLane } from './chain-reader.ts'
import { Connections } from './connections.ts'
import { Endpoint } from './endpoint.ts'
import type { ContractReader } from './contract-reader.ts'
import { endpointAddress } from './endpoint-address.ts'
import { type Candidate, type Log, Failover } from './failover.ts'
import { headersAt, logsOfHeader, logsOfRange } from './log-questions.ts'
import type { Network } from './http-post.ts'
import { codeCall, hasCodeIn } from './read-code.ts'
import { headerCall, headerIn } from './read-header.ts'
import { NodeLags } from './rpc-failures.ts'
import { readTip } from './read-tip.ts'

type Options = Network & {
  /** URLs, the preferred one first. They may hold keys. */
  endpoints: readonly string[]
  chainId: number
  /** At least 0 and below 1. */
  random: () => number
  /** What an operator should know: endpoints by their places, failures by their class. */
  log: Log
}

/** An endpoint that is not in use is asked for its head this often, to know which one lags. */
const LOOK_AROUND_MS = 30_000

/** Reads a chain from JSON-RPC endpoints, none of which is trusted alone to be there, complete or right. */
export class HttpChainReader implements ChainReader, ContractReader {
  readonly #failover: Failover
  readonly #now: () => number
  #isLookingAround = false

  /** @throws {Error} for an endpoint that is no URL, by its place */
  constructor({ endpoints, chainId, fetch, sleep, now, random, log }: Options) {
    const connections = new Connections()
    const network = { fetch, sleep, now }
    const asked = endpoints.map(
      (endpoint, place) =>
        new Endpoint(endpointAddress(endpoint, place), chainId, network, connections),
    )
    this.#failover = new Failover(asked, { now, random, log })
    this.#now = now
  }

  async tip(tags: readonly ('safe' | 'finalized')[]): Promise<Tip> {
    for (;;) {
      const lackingBefore = this.#failover.lacking(tags)
      const { tip, candidate } = await this.#failover.ask(
        'live',
        async (one) => {
          const read = await readTip(one.endpoint, tags)
          this.#failover.told(one, read)
          return { tip: read, candidate: one }
        },
        tags,
      )
      const isWhole = tags.every((tag) => tip[tag] !== null)
      const isNew = this.#failover.lacking(tags) > lackingBefore
      // Another one may serve them. Each time one more is known not to, so that this ends.
      if (!isWhole && isNew && this.#failover.mayServe(tags)) continue
      this.#lookAround(candidate)
      return tip
    }
  }

  async headers(from: number, to: number): Promise<BlockHeader[]> {
    const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    return await this.#failover.ask('live', async ({ endpoint }) => {
      const headers = await headersAt(endpoint, numbers, 'live')
      for (const [n, header] of headers.entries())
        if (n > 0 && header.parentHash !== headers[n - 1]!.hash)
          throw new NodeLags('headers of two branches')
      return headers
    })
  }

  async headersOf(numbers: readonly number[]): Promise<BlockHeader[]> {
    return await this.#failover.ask('live', ({ endpoint }) => headersAt(endpoint, numbers, 'live'))
  }

  async logs(query: LogQuery, from: number, to: number, lane: ReadLane): Promise<ChainLog[]> {
    if (query.addresses.length === 0 || from > to) return []
    return await this.#failover.ask(lane, ({ endpoint }) =>
      logsOfRange(endpoint, query, { from, to }, lane),
    )
  }

  async logsOfBlock(query: LogQuery, header: BlockHeader): Promise<ChainLog[]> {
    if (query.addresses.length === 0) return []
    return await this.#failover.ask('live', ({ endpoint }) => logsOfHeader(endpoint, query, header))
  }

  async hasCode(address: string): Promise<boolean> {
    return await this.#failover.ask('backfill', async ({ endpoint }) => {
      const [answer] = await endpoint.ask([codeCall(address)], 'backfill')
      return hasCodeIn(answer!)
    })
  }

  health(): EndpointHealth[] {
    return this.#failover.health()
  }

  /** Asks one endpoint that is not in use for its head, beside all else: whether it is well, and who lags. */
  #lookAround(inUse: Candidate): void {
    if (this.#isLookingAround) return
    const candidate = this.#failover.toLookAt(inUse, LOOK_AROUND_MS)
    if (!candidate) return
    this.#isLookingAround = true
    candidate.condition.lookedAt = this.#now()
    void this.#look(candidate).finally(() => {
      this.#isLookingAround = false
    })
  }

  async #look(candidate: Candidate): Promise<void> {
    const read = async ({ endpoint }: Candidate) => {
      const [answer] = await endpoint.ask([headerCall('latest')], 'backfill')
      const latest = headerIn(answer && 'result' in answer ? answer.result : null)
      this.#failover.told(candidate, { latest })
    }
    // What failed is noted there.
    await this.#failover.askOne(candidate, 'live', read).catch(() => {})
  }
}
