import { setTimeout as sleep } from 'node:timers/promises'
import { toQuantity } from 'ethers'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { ChainUnreachableError } from '../../../shared/rpc/chain-read-errors.ts'
import { endpointAddress } from '../../../shared/rpc/endpoint-address.ts'
import { EndpointError, rpcErrorKind } from '../../../shared/rpc/endpoint-error.ts'
import { CHAIN_ID_CALL, Endpoint } from '../../../shared/rpc/endpoint.ts'
import { type EndpointCandidate, type EventLogger, Failover } from '../../../shared/rpc/failover.ts'
import { REVERTED_CODE, type RpcCall, type RpcResponse } from '../../../shared/rpc/json-rpc.ts'
import type { Network } from '../../../shared/rpc/post-rpc.ts'
import { parseBigQuantity, parseQuantity } from '../../../shared/rpc/quantities.ts'
import { headerCall, parseBlockHeader, requireResult } from '../../../shared/rpc/read-header.ts'
import { askAll, type Progress } from './ask-all.ts'
import { saysHalt } from './halts.ts'

export type ChainNode = EndpointCandidate

/**
 * Subject of a disagreement: the block at a height, the contents of one block, a receipt, or the result of a call.
 * During a reorganization, honest nodes also disagree, but never about the contents of a block.
 */
export const SUBJECTS = ['block', 'contents', 'receipt', 'state'] as const
export type Subject = (typeof SUBJECTS)[number]

export type NodeLog = (
  ...line: Parameters<EventLogger> | ['rpc.disagrees', { endpoint: number; about: Subject }]
) => void

/** State of a node, for metrics. `node` is its position in the setting. */
export type NodeStatus = {
  node: number
  /** Undefined before the first request. */
  isUp: boolean | undefined
  /** Blocks between the node's head and the highest block of the quorum. Undefined before the node's first response. */
  lagBlocks: number | undefined
  failures: number
  disagreements: ReadonlyMap<Subject, number>
}

export type NodesOptions = Pick<Network, 'fetch'> & {
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  /** Returns a number in [0, 1), for jitter. */
  random: () => number
  log: NodeLog
}

type Answer<T> = { node: ChainNode; value: T }

type AgreedRead<T> = {
  read: (node: ChainNode) => Promise<T>
  /** Returns equal texts for equal values, or null if the value means that the node does not have the object. */
  keyOf: (value: T) => string | null
  subjectOf: (value: T, other: T) => Subject
  /** @default every node that is healthy or due for a probe */
  among?: readonly ChainNode[]
}

export const RPC_TIMEOUT_MS = 5_000

/** First delay before calls are repeated after a 429. It doubles until `RPC_TIMEOUT_MS` has passed. */
const RATE_LIMITED_MS = 100

export class NoAgreementError extends Error {
  override readonly name = 'NoAgreementError'
}

/**
 * The nodes of a chain. A quorum is more than half of them, so two different answers never both have one. A
 * node whose circuit breaker is open is asked only as a half-open probe, unless the other nodes are too few.
 */
export class ChainNodes {
  readonly quorum: number
  readonly #failover: Failover
  readonly #now: () => number
  readonly #log: NodeLog
  readonly #disagreements = new Map<ChainNode, Map<Subject, number>>()
  #height = -1

  /** @param chainId chain that each node must serve; if undefined, any chain is accepted */
  constructor(urls: readonly string[], chainId: number | undefined, options: NodesOptions) {
    const { fetch, now, random, log } = options
    const network = {
      fetch,
      sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {}),
      now,
      timeoutMs: RPC_TIMEOUT_MS,
    }
    const endpoints = urls.map(
      (url, place) => new Endpoint(endpointAddress(url, place), chainId, network),
    )
    this.#failover = new Failover(endpoints, { now, random, log, triesOpen: true })
    this.#now = now
    this.#log = log
    this.quorum = Math.floor(urls.length / 2) + 1
  }

  get all(): readonly ChainNode[] {
    return this.#failover.candidates
  }

  status(): NodeStatus[] {
    const health = this.#failover.health()
    return this.all.map((node, index) => {
      const { state, head } = health[index]!
      return {
        node: node.place,
        isUp: state === 'unknown' ? undefined : state === 'healthy' || state === 'lagging',
        lagBlocks: head === null ? undefined : Math.max(0, this.#height - head),
        failures: node.condition.failures,
        disagreements: this.#disagreements.get(node) ?? new Map(),
      }
    })
  }

  /** @throws {NoAgreementError | EndpointError} */
  chainId(): Promise<number> {
    return this.agree({
      read: async ({ endpoint }) => {
        const [answer] = await endpoint.call([CHAIN_ID_CALL], 'live')
        return parseQuantity(requireResult(answer!), 'the chain ID')
      },
      keyOf: String,
      subjectOf: () => 'state',
    })
  }

  /**
   * Sends calls to one node after another, until a node executes all of them.
   * @returns the responses of that node, or of the first node that responded if no node executes all calls
   * @throws {ChainUnreachableError} if no node responds
   */
  async request(calls: readonly RpcCall[]): Promise<RpcResponse[]> {
    let refused: RpcResponse[] | undefined
    const send = async ({ endpoint }: ChainNode) => {
      const answers = await endpoint.call(calls, 'live')
      const failure = answers.map(executionFailure).find((found) => found !== undefined)
      if (!failure) return answers
      refused ??= answers
      throw failure
    }
    const until = performance.now() + RPC_TIMEOUT_MS
    for (let delayMs = RATE_LIMITED_MS; ; delayMs *= 2) {
      try {
        return await this.#failover.request('live', send)
      } catch (error) {
        if (refused) return refused
        if (!isRateLimited(error) || performance.now() + delayMs > until) throw error
        await sleep(delayMs)
      }
    }
  }

  /**
   * Reads a gas estimate from all nodes at once, so that a node that lies or lags cannot decide alone.
   * @returns the lowest estimate that is enough for a quorum of the nodes, or the revert if a quorum reverts the call
   * @throws {NoAgreementError} if too few nodes respond
   */
  async estimate(call: RpcCall): Promise<RpcResponse> {
    const found = await this.#askAll(
      this.#selected(),
      async ({ endpoint }) => {
        const [answer] = await endpoint.call([call], 'live')
        const failure = executionFailure(answer!)
        if (failure) throw failure
        return 'error' in answer! ? answer : parseBigQuantity(answer!.result, 'the gas estimate')
      },
      (answers, { isLate }) => (isLate ? [...answers] : undefined),
    )
    const reverts = found.filter((answer) => typeof answer !== 'bigint')
    if (reverts.length >= this.quorum) return reverts[0]!
    const estimates = found
      .filter((answer) => typeof answer === 'bigint')
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    return { result: toQuantity(estimates[this.quorum - 1] ?? estimates.at(-1)!) }
  }

  /**
   * Sends a transaction to all nodes.
   * @returns the response of the first node that accepts the transaction, or an error response if no node does
   * @throws {EndpointError} if no node responds
   */
  async broadcast(call: RpcCall): Promise<RpcResponse> {
    let refused: RpcResponse | undefined
    const sent = this.#selected().map(async (node) => {
      const [answer] = await this.#request(node, ({ endpoint }) => endpoint.call([call], 'live'))
      if ('result' in answer!) return answer
      refused ??= answer!
      throw new EndpointError(rpcErrorKind(answer!.error.code))
    })
    try {
      return await Promise.any(sent)
    } catch (error) {
      if (refused) return refused
      throw (error as AggregateError).errors[0]
    }
  }

  /**
   * Reads from all nodes at once, and returns the value that a quorum of them returned. An object counts as missing
   * only if no node has it.
   * @throws {NoAgreementError}
   * @throws the error of the node, if it is the only one
   */
  async agree<T>({ read, keyOf, subjectOf, among = this.#selected() }: AgreedRead<T>): Promise<T> {
    const [only, ...others] = this.all
    if (others.length === 0) return this.#request(only!, read)

    type Keyed = Answer<T> & { key: string | null }
    let agreed: Keyed | undefined
    const judge = ({ node, key, value }: Keyed, other: Keyed) => {
      if (key !== null && other.key !== null && key !== other.key)
        this.#recordDisagreement(node, subjectOf(value, other.value))
    }
    const decide = (answers: readonly Keyed[], { isLate, isDone }: Progress) => {
      const found = answers.filter(({ key }) => key !== null)
      agreed = found.find(
        ({ key }) => found.filter((other) => other.key === key).length >= this.quorum,
      )
      if (found.length === 0 && isLate) agreed = answers[0]
      for (const answer of agreed || isDone ? answers : [])
        judge(answer, agreed ?? found.find(({ key }) => key !== answer.key) ?? answer)
      return agreed
    }
    const { value } = await this.#askAll(
      among,
      async (node) => {
        const answer = await read(node)
        return { node, value: answer, key: keyOf(answer) }
      },
      decide,
      (late: Keyed) => {
        if (agreed) judge(late, agreed)
      },
    )
    return value
  }

  /**
   * Reads a quantity from all nodes at once.
   * @returns the highest value that a quorum of the nodes reaches, so that a minority can neither raise nor lower it
   *   beyond the values of the other nodes
   * @throws {NoAgreementError}
   * @throws the error of the node, if it is the only one
   */
  async quantity(call: RpcCall): Promise<bigint> {
    const values = await this.#askAll(
      this.#selected(),
      async ({ endpoint }) => {
        const [answer] = await endpoint.call([call], 'live')
        return parseBigQuantity(requireResult(answer!), 'the result')
      },
      (found, { isLate }) => (isLate ? [...found] : undefined),
    )
    return values.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[this.quorum - 1]!
  }

  /**
   * Reads the heads of all nodes at once.
   * @returns the highest block that a quorum of the nodes has reached, and the responses of these nodes
   * @throws {NoAgreementError}
   * @throws the error of the node, if it is the only one
   */
  async reached<T extends { head: BlockHeader }>(
    read: (node: ChainNode) => Promise<T>,
  ): Promise<{ height: number; answers: Answer<T>[] }> {
    const answers = await this.#askAll(
      this.#selected(),
      async (node): Promise<Answer<T>> => {
        const value = await read(node)
        this.#failover.recordTip(node, { latest: value.head })
        return { node, value }
      },
      (found, { isLate }) => (isLate ? [...found] : undefined),
    )
    const heights = answers.map(({ value }) => value.head.number).toSorted((a, b) => b - a)
    const height = heights[this.quorum - 1]!
    this.#height = height
    return { height, answers: answers.filter(({ value }) => value.head.number >= height) }
  }

  /**
   * Returns true if a block is at most `MIRROR_STALE_MS` older than the heads of a quorum, in chain time. Otherwise,
   * the nodes behind this block lag or lie, and too few others respond to tell.
   */
  isRecent(block: BlockHeader, heads: readonly BlockHeader[]): boolean {
    const near = heads.filter(
      ({ timestamp }) => (timestamp - block.timestamp) * 1000 <= MIRROR_STALE_MS,
    )
    return near.length >= this.quorum
  }

  /**
   * Returns the highest block that a quorum of the nodes has.
   * @throws {NoAgreementError} also if the block is not recent
   * @throws the error of the node, if it is the only one
   */
  async head(): Promise<BlockHeader> {
    const { height, answers } = await this.reached(async ({ endpoint }) => ({
      head: await readHeader(endpoint, 'latest'),
    }))
    const heads = new Map(answers.map(({ node, value }) => [node, value.head]))
    const block = await this.agree({
      among: [...heads.keys()],
      read: async (node) => {
        const head = heads.get(node)!
        return head.number === height ? head : readHeader(node.endpoint, height)
      },
      keyOf: ({ hash, timestamp }) => `${hash} ${timestamp}`,
      subjectOf: () => 'block',
    })
    if (!this.isRecent(block, [...heads.values()]))
      throw new NoAgreementError('the heads of the nodes are too far apart')
    return block
  }

  #askAll<T, Result>(
    nodes: readonly ChainNode[],
    read: (node: ChainNode) => Promise<T>,
    decide: (answers: readonly T[], progress: Progress) => Result | undefined,
    onLate: (answer: T) => void = () => {},
  ): Promise<Result> {
    return askAll({
      nodes,
      quorum: this.quorum,
      ask: (node) => this.#request(node, read),
      decide,
      onLate,
      toError: (answered, failures) => this.#noAgreement(answered, failures),
    })
  }

  #selected(): readonly ChainNode[] {
    const available = this.#failover.available('live')
    const healthy = available.filter(({ condition }) => condition.isHealthy('live', this.#now()))
    return healthy.length >= this.quorum ? available : this.all
  }

  #request<T>(node: ChainNode, read: (node: ChainNode) => Promise<T>): Promise<T> {
    return this.#failover.requestFrom(node, 'live', read)
  }

  #noAgreement(answered: number, failures: readonly unknown[]): unknown {
    if (this.all.length === 1) return failures[0]
    const kinds = failures.map((error) =>
      error instanceof EndpointError ? error.kind : error instanceof Error ? error.name : 'unknown',
    )
    return new NoAgreementError(
      `${this.quorum} of ${this.all.length} nodes must agree; ${answered} answered; failures: ${kinds.join(', ') || 'none'}`,
    )
  }

  #recordDisagreement(node: ChainNode, about: Subject): void {
    const now = this.#now()
    const counts = this.#disagreements.get(node) ?? new Map<Subject, number>()
    this.#disagreements.set(node, counts.set(about, (counts.get(about) ?? 0) + 1))
    if (!node.condition.isDisagreeing(now))
      this.#log('rpc.disagrees', { endpoint: node.place, about })
    node.condition.recordDisagreement(now)
  }
}

/**
 * @throws {NodeLaggingError} if the node does not have the block
 * @throws {EndpointError}
 */
async function readHeader(endpoint: Endpoint, block: number | 'latest'): Promise<BlockHeader> {
  const [answer] = await endpoint.call([headerCall(block)], 'live')
  return parseBlockHeader(requireResult(answer!))
}

/** Returns undefined if the node executed the call, even if the contract reverted it or the call failed otherwise. */
export function executionFailure(answer: RpcResponse): EndpointError | undefined {
  if ('result' in answer) return undefined
  const { code, data, message } = answer.error
  const hasData = typeof data === 'string' && data.startsWith('0x')
  if (code === REVERTED_CODE || hasData || saysHalt(message)) return undefined
  return new EndpointError(rpcErrorKind(code), { perhapsRequest: true })
}

function isRateLimited(error: unknown): boolean {
  return (
    error instanceof ChainUnreachableError &&
    error.failures.length > 0 &&
    error.failures.every((kind) => kind === 'rate_limited')
  )
}
