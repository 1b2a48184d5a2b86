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
  /** Preferred one first. The URLs may contain keys. */
  endpoints: readonly string[]
  chainId: number
  /** In [0, 1). */
  random: () => number
  /** For operators. Endpoints are identified by index, and failures by kind. */
  log: Log
}

/** Interval of head requests to unused endpoints, to detect which of them lag. */
const LOOK_AROUND_MS = 30_000

/** Does not rely on any single endpoint to be available, complete or correct. */
export class HttpChainReader implements ChainReader, ContractReader {
  readonly #failover: Failover
  readonly #now: () => number
  #isLookingAround = false

  /** @throws {Error} with the index of an endpoint if its URL is invalid */
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
      // Another endpoint may serve the tags. Each iteration finds one more endpoint without them, so the loop
      // terminates.
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

  /** Requests the head of one unused endpoint in the background, to update its health and detect lag. */
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
    // `askOne` has already recorded the failure.
    await this.#failover.askOne(candidate, 'live', read).catch(() => {})
  }
}
