import { chunks } from '../chunks.ts'
import { EndpointError, rpcErrorKind } from './endpoint-error.ts'
import {
  isBatchTooLong,
  batchRejection,
  isRateLimit,
  retryAfterMs,
  type RpcResponse,
  type RpcCall,
  type RpcError,
  matchResponses,
  rpcBody,
} from './json-rpc.ts'
import type { ReadPriority } from './endpoint-condition.ts'
import type { EndpointAddress } from './endpoint-address.ts'
import { type Network, postRpc, type PostResponse } from './post-rpc.ts'
import { BatchSize, MethodSupport, PositionLimit } from './learned-limits.ts'
import { parseQuantity } from './quantities.ts'
import { positionRejection, rangeRejection } from './range-errors.ts'

class BatchRejectedError extends Error {
  /** True if the error definitely concerns the batch and not its calls. */
  readonly certain: boolean
  constructor(certain: boolean) {
    super('batch refused')
    this.certain = certain
  }
}

export const CHAIN_ID_CALL: RpcCall = { method: 'eth_chainId', params: [] }

/**
 * Maximum number of calls to send one after another if they cannot be batched. Up to four calls may depend on each
 * other. A larger number of calls is sent concurrently.
 */
const SEQUENTIAL_MAX = 4

/** Limits the number of concurrent requests. */
export type RequestLimiter = {
  run<T>(priority: ReadPriority, work: () => Promise<T>): Promise<T>
}

const UNLIMITED: RequestLimiter = { run: (_priority, work) => work() }

/** Client for one endpoint. Distinguishes responses to calls from refusals to respond. */
export class Endpoint {
  readonly latency = new Latency()
  readonly limits = {
    addresses: new PositionLimit(),
    topics: new PositionLimit(),
    blockReceipts: new MethodSupport(),
  }
  readonly #batches = new BatchSize()
  readonly #address: EndpointAddress
  readonly #chainId: number | undefined
  readonly #network: Network
  readonly #limiter: RequestLimiter
  #isChainIdVerified = false
  #nextId = 1

  /**
   * @param chainId chain that the endpoint must serve; if undefined, any chain is accepted
   */
  constructor(
    address: EndpointAddress,
    chainId: number | undefined,
    network: Network,
    limiter: RequestLimiter = UNLIMITED,
  ) {
    this.#address = address
    this.#chainId = chainId
    this.#network = network
    this.#limiter = limiter
  }

  now(): number {
    return this.#network.now()
  }

  /** Checks the chain ID again with the next request, because the endpoint may now serve another chain. */
  recheckChainId(): void {
    this.#isChainIdVerified = false
  }

  /**
   * Sends calls in one batch if the endpoint accepts it, so that a single node answers all of them. Checks the chain ID
   * before the first response is used.
   * @returns one response per call, in order
   * @throws {EndpointError}
   */
  async call(calls: readonly RpcCall[], priority: ReadPriority): Promise<RpcResponse[]> {
    if (this.#isChainIdVerified || this.#chainId === undefined)
      return await this.#sendInBatches(calls, priority)
    const [chain, ...answers] = await this.#sendInBatches([CHAIN_ID_CALL, ...calls], priority)
    this.#requireChainId(chain!)
    return answers
  }

  #requireChainId(answer: RpcResponse): void {
    if ('error' in answer) throw new EndpointError(rpcErrorKind(answer.error.code))
    if (parseQuantity(answer.result, 'the chain ID') !== this.#chainId)
      throw new EndpointError('wrong_chain')
    this.#isChainIdVerified = true
  }

  async #sendInBatches(calls: readonly RpcCall[], priority: ReadPriority): Promise<RpcResponse[]> {
    let size = this.#batches.at(this.now())
    let isDoubtful = false
    for (;;) {
      try {
        const answers = await this.#sendChunks(calls, size, priority)
        // The calls succeeded one by one, so the endpoint had rejected the batch and not the calls.
        if (isDoubtful) this.#batches.recordRejection(1, this.now())
        return answers
      } catch (error) {
        if (!(error instanceof BatchRejectedError)) throw error
        const length = Math.min(size, calls.length)
        isDoubtful = !error.certain
        size = isDoubtful ? 1 : this.#batches.recordRejection(length, this.now())
      }
    }
  }

  /**
   * Sends calls in several requests. The first request must finish before the others are sent, because the node must
   * prove that it has a block before it returns logs up to that block.
   */
  async #sendChunks(
    calls: readonly RpcCall[],
    size: number,
    priority: ReadPriority,
  ): Promise<RpcResponse[]> {
    const [first, ...others] = chunks(calls, size)
    const answers = [await this.#request(first!, priority)]
    if (calls.length <= SEQUENTIAL_MAX) {
      for (const part of others) answers.push(await this.#request(part, priority))
    } else {
      answers.push(...(await Promise.all(others.map((part) => this.#request(part, priority)))))
    }
    return answers.flat()
  }

  async #request(calls: readonly RpcCall[], priority: ReadPriority): Promise<RpcResponse[]> {
    const firstId = this.#nextId
    this.#nextId += calls.length
    const body = rpcBody(calls, firstId)
    const response = await this.#limiter.run(priority, async () => {
      const began = this.now()
      const answer = await postRpc(this.#network, this.#address, body)
      this.latency.add(Math.max(0, this.now() - began))
      return answer
    })
    const { status, json } = response
    const wait = retryAfterMs(response.retryAfter, this.now())
    if (status === 429) throw new EndpointError('rate_limited', { retryAfterMs: wait })
    if (json === undefined) return readErrorStatus(response, calls, wait)

    const read = readAnswers(response, calls.length, firstId)
    const errors = 'refused' in read ? [read.refused] : read.answers.flatMap(errorOf)
    if (
      errors.some(
        (error) => isRateLimit(error) && !isLogRejection(error) && !isBatchTooLong(error, true),
      )
    )
      throw new EndpointError('rate_limited', { retryAfterMs: wait })
    const requestsLogs = calls.some(({ method }) => method === 'eth_getLogs')
    if (calls.length > 1 && errors.some((error) => isBatchTooLong(error, requestsLogs)))
      throw new BatchRejectedError(true)
    if ('answers' in read) {
      if (status >= 400 && errors.length === 0) throw new EndpointError(`http_${status}`)
      return read.answers
    }
    // If there is only one call, or if the error is about requested logs, the error applies to every call.
    if (calls.length === 1 || isLogRejection(read.refused))
      return calls.map(() => ({ error: read.refused }))
    const refusal = batchRejection(read.refused, status)
    if (refusal !== 'no') throw new BatchRejectedError(refusal === 'certain')
    throw new EndpointError(rpcErrorKind(read.refused.code))
  }
}

/** JSON that is not JSON-RPC is reported as an HTTP failure if the status is an error. */
function readAnswers({ status, json }: PostResponse, count: number, firstId: number) {
  try {
    return matchResponses(json, count, firstId)
  } catch (error) {
    if (status >= 400) throw new EndpointError(`http_${status}`)
    throw error
  }
}

/**
 * @throws {EndpointError}
 * @throws {BatchRejectedError}
 */
function readErrorStatus(
  { status }: PostResponse,
  calls: readonly RpcCall[],
  wait: number | undefined,
): RpcResponse[] {
  const error: RpcError = { code: status, message: '' }
  const refusal = calls.length > 1 ? batchRejection(error, status) : 'no'
  if (refusal !== 'no') throw new BatchRejectedError(refusal === 'certain')
  if (status === 413) return [{ error }]
  throw new EndpointError(`http_${status}`, { retryAfterMs: wait })
}

const errorOf = (answer: RpcResponse): RpcError[] => ('error' in answer ? [answer.error] : [])

/**
 * Returns true if an error means that the endpoint rejected the range or the filter of a query. Such an error is not a
 * rate limit, although some have the code of a rate limit or mention a limit.
 */
const isLogRejection = (error: RpcError) =>
  rangeRejection(error, Number.POSITIVE_INFINITY) !== undefined ||
  positionRejection(error) !== undefined

/** Number of latency samples, which cover about the last minute. */
const LATENCY_SAMPLES_MAX = 15

class Latency {
  readonly #latest: number[] = []

  add(ms: number): void {
    this.#latest.push(ms)
    if (this.#latest.length > LATENCY_SAMPLES_MAX) this.#latest.shift()
  }

  /** Median latency in milliseconds. Null before the first response. */
  get median(): number | null {
    const sorted = this.#latest.toSorted((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? null
  }
}
