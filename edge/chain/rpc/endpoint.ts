import { BatchSize, isBatchTooLong, refusesBatch } from './batch-errors.ts'
import type { ReadLane } from './chain-reader.ts'
import type { Connections } from './connections.ts'
import type { EndpointAddress } from './endpoint-address.ts'
import { EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import { type Network, post, type Posted } from './http-post.ts'
import { type RpcAnswer, type RpcCall, type RpcError, rpcAnswers, rpcBody } from './json-rpc.ts'
import { Latency } from './latency.ts'
import { numberIn } from './quantities.ts'
import { PositionLimit } from './position-limit.ts'
import { positionRefusal, rangeRefusal } from './range-errors.ts'
import { isRateLimit, retryAfterMs } from './rate-errors.ts'

class BatchRefused extends Error {
  /** True if the error is clearly about the batch. */
  readonly certain: boolean
  constructor(certain: boolean) {
    super('batch refused')
    this.certain = certain
  }
}

const CHAIN_ID: RpcCall = { method: 'eth_chainId', params: [] }

/**
 * Calls to send one after another if they cannot be batched. Up to this number, calls may depend on each other; more
 * calls are sent concurrently.
 */
const IN_TURN_MAX = 4

/** Distinguishes responses to the calls from refusals to respond. */
export class Endpoint {
  readonly latency = new Latency()
  readonly limits = { addresses: new PositionLimit(), topics: new PositionLimit() }
  readonly #batches = new BatchSize()
  readonly #address: EndpointAddress
  readonly #chainId: number
  readonly #network: Network
  readonly #connections: Connections
  #isOfChain = false
  #nextId = 1

  constructor(
    address: EndpointAddress,
    chainId: number,
    network: Network,
    connections: Connections,
  ) {
    this.#address = address
    this.#chainId = chainId
    this.#network = network
    this.#connections = connections
  }

  now(): number {
    return this.#network.now()
  }

  /** Checks the chain ID again with the next request, because the endpoint may now serve another chain. */
  doubtChain(): void {
    this.#isOfChain = false
  }

  /**
   * Uses one batch if the endpoint accepts it, so that a single node answers all calls. The chain ID is checked before
   * the first response is used.
   * @returns one response per call, in order
   * @throws {EndpointFailed}
   */
  async ask(calls: readonly RpcCall[], lane: ReadLane): Promise<RpcAnswer[]> {
    if (this.#isOfChain) return await this.#inBatches(calls, lane)
    const [chain, ...answers] = await this.#inBatches([CHAIN_ID, ...calls], lane)
    this.#requireChain(chain!)
    return answers
  }

  #requireChain(answer: RpcAnswer): void {
    if ('error' in answer) throw new EndpointFailed(rpcErrorKind(answer.error.code))
    if (numberIn(answer.result, 'the chain ID') !== this.#chainId)
      throw new EndpointFailed('wrong_chain')
    this.#isOfChain = true
  }

  async #inBatches(calls: readonly RpcCall[], lane: ReadLane): Promise<RpcAnswer[]> {
    let size = this.#batches.at(this.now())
    let isDoubtful = false
    for (;;) {
      try {
        const answers = await this.#chunked(calls, size, lane)
        // The calls succeeded one by one, so the endpoint rejected the batch and not the calls.
        if (isDoubtful) this.#batches.refused(1, this.now())
        return answers
      } catch (error) {
        if (!(error instanceof BatchRefused)) throw error
        const length = Math.min(size, calls.length)
        isDoubtful = !error.certain
        size = isDoubtful ? 1 : this.#batches.refused(length, this.now())
      }
    }
  }

  /**
   * The first request is sent before the others, because the node must prove that it has a block before it returns logs
   * up to that block.
   */
  async #chunked(calls: readonly RpcCall[], size: number, lane: ReadLane): Promise<RpcAnswer[]> {
    const parts: (readonly RpcCall[])[] = []
    for (let at = 0; at < calls.length; at += size) parts.push(calls.slice(at, at + size))
    const [first, ...others] = parts
    const answers = [await this.#request(first!, lane)]
    if (calls.length <= IN_TURN_MAX) {
      for (const part of others) answers.push(await this.#request(part, lane))
    } else {
      answers.push(...(await Promise.all(others.map((part) => this.#request(part, lane)))))
    }
    return answers.flat()
  }

  async #request(calls: readonly RpcCall[], lane: ReadLane): Promise<RpcAnswer[]> {
    const firstId = this.#nextId
    this.#nextId += calls.length
    const body = rpcBody(calls, firstId)
    const posted = await this.#connections.run(lane, async () => {
      const began = this.now()
      const answer = await post(this.#network, this.#address, body)
      this.latency.add(Math.max(0, this.now() - began))
      return answer
    })
    const { status, json } = posted
    const wait = retryAfterMs(posted.retryAfter, this.now())
    if (status === 429) throw new EndpointFailed('rate_limited', { retryAfterMs: wait })
    if (json === undefined) return failedStatus(posted, calls, wait)

    const read = readAnswers(posted, calls.length, firstId)
    const errors = 'refused' in read ? [read.refused] : read.answers.flatMap(errorOf)
    if (
      errors.some((error) => isRateLimit(error) && !isOfLogs(error) && !isBatchTooLong(error, true))
    )
      throw new EndpointFailed('rate_limited', { retryAfterMs: wait })
    const asksLogs = calls.some(({ method }) => method === 'eth_getLogs')
    if (calls.length > 1 && errors.some((error) => isBatchTooLong(error, asksLogs)))
      throw new BatchRefused(true)
    if ('answers' in read) {
      if (status >= 400 && errors.length === 0) throw new EndpointFailed(`http_${status}`)
      return read.answers
    }
    // With a single call, or an error about requested logs, the error applies to every call.
    if (calls.length === 1 || isOfLogs(read.refused))
      return calls.map(() => ({ error: read.refused }))
    const refusal = refusesBatch(read.refused, status)
    if (refusal !== 'no') throw new BatchRefused(refusal === 'certain')
    throw new EndpointFailed(rpcErrorKind(read.refused.code))
  }
}

/** An HTTP error status with JSON that is not JSON-RPC is a plain HTTP failure. */
function readAnswers({ status, json }: Posted, count: number, firstId: number) {
  try {
    return rpcAnswers(json, count, firstId)
  } catch (error) {
    if (status >= 400) throw new EndpointFailed(`http_${status}`)
    throw error
  }
}

/**
 * @throws {EndpointFailed}
 * @throws {BatchRefused}
 */
function failedStatus(
  { status }: Posted,
  calls: readonly RpcCall[],
  wait: number | undefined,
): RpcAnswer[] {
  const error: RpcError = { code: status, message: '' }
  const refusal = calls.length > 1 ? refusesBatch(error, status) : 'no'
  if (refusal !== 'no') throw new BatchRefused(refusal === 'certain')
  if (status === 413) return [{ error }]
  throw new EndpointFailed(`http_${status}`, { retryAfterMs: wait })
}

const errorOf = (answer: RpcAnswer): RpcError[] => ('error' in answer ? [answer.error] : [])

/** Rejections of a range or a filter. Some have the code of a rate limit, or mention a limit. */
const isOfLogs = (error: RpcError) =>
  rangeRefusal(error, Number.POSITIVE_INFINITY) !== undefined ||
  positionRefusal(error) !== undefined
