/**
 * JSON-RPC node of a scripted chain, or a load balancer with several of them, with optional faults. Does no I/O:
 * `fetchOf` and `startChainNode` expose it through a `fetch` and a port.
 */
import { ChainView, type View, WHOLE } from './chain-view.ts'
import { type Faults, type PlanLimits, REQUEST_FAULTS } from './faults.ts'
import { answerLogs, type LogsQuery } from './log-answers.ts'
import type { RpcError } from './refusals.ts'
import { type ScriptedBlock, quantity } from './scripted-block.ts'
import { receiptsOf, shownTransactions } from './transaction-answers.ts'
import type { ScriptedChain } from './scripted-chain.ts'

export type NodeAnswer =
  | { status: number; headers: Record<string, string>; body: string }
  | 'hang'
  | 'timeout'
  | 'refused'

type Call = { id: unknown; method: string; params?: unknown[] }
type Answer = { result: unknown } | { error: RpcError }

const JSON_TYPE = { 'content-type': 'application/json' }

export class ChainNode {
  chain: ScriptedChain
  /** Can be changed by a test at any time. */
  faults: Faults = {}
  limits: PlanLimits = {}
  /** Several views act as a load balancer that answers each call from a random one. */
  views: readonly View[] = [WHOLE]
  /** True if logs include the time of their block. */
  tellsBlockTime = true
  /** Supported tags besides `latest`. Other providers answer `null` or an error. */
  tags: readonly string[] = ['safe', 'finalized']
  /** `missingBlocks` only omits blocks within this distance of the head. */
  leavesOutWithin = Number.POSITIVE_INFINITY
  /** Number of requests so far, and of calls by method. */
  requests = 0
  readonly methods = new Map<string, number>()
  /** Other providers do not have this method, or refuse large blocks. */
  hasBlockReceipts = true
  /** Blocks with more transactions are not returned as a whole. */
  wholeBlockMax = Number.POSITIVE_INFINITY
  /** Hashes of transactions whose receipts the node does not have. */
  missingReceipts = new Set<string>()
  /** Hashes of transactions whose receipts are not among those of their block. */
  omittedReceipts = new Set<string>()
  /** Hashes of transactions whose receipts name another block. */
  misplacedReceipts = new Set<string>()
  /** False if the node has blocks, but not their receipts yet. */
  hasReceipts = true
  readonly #random: () => number

  /** @param random from 0 to below 1; decides which faults occur, and which of several nodes answers */
  constructor(chain: ScriptedChain, random: () => number = Math.random) {
    this.chain = chain
    this.#random = random
  }

  /** @param body of a POST @returns the provider's response or its failure to respond */
  answer(body: string): NodeAnswer {
    this.requests++
    const asked = JSON.parse(body) as Call | Call[]
    for (const { method } of [asked].flat())
      this.methods.set(method, (this.methods.get(method) ?? 0) + 1)
    const fault = REQUEST_FAULTS.find((name) => this.#strikes(this.faults[name]))
    switch (fault) {
      case 'hang':
      case 'timeout':
      case 'refused':
        return fault
      case 'rateLimited':
        return { status: 429, headers: { 'content-type': 'text/plain' }, body: 'Too Many Requests' }
      case 'rateLimitedWithRetryAfter':
        return { status: 429, headers: { ...JSON_TYPE, 'retry-after': '1' }, body: '{}' }
      case 'rateLimitedInside200':
        return envelope(200, {
          code: -32005,
          message: 'daily request count exceeded, request rate limited',
        })
      case 'errorInside200':
        return envelope(200, {
          code: -32603,
          message: 'internal error at https://key@node.example/v3/secret',
        })
      case 'serverError':
        return envelope(500, {
          code: -32000,
          message: 'upstream https://node.example/v3/secret failed',
        })
      case 'badGateway':
        return {
          status: 502,
          headers: { 'content-type': 'text/html' },
          body: '<html>502 Bad Gateway</html>',
        }
      case 'garbage':
        return {
          status: 200,
          headers: JSON_TYPE,
          body: '<!doctype html><title>Checking your browser',
        }
      case 'cut':
      case undefined:
    }
    const text = this.#answersTo(asked)
    return { status: 200, headers: JSON_TYPE, body: fault ? text.slice(0, text.length / 2) : text }
  }

  #answersTo(asked: Call | Call[]): string {
    if (!Array.isArray(asked)) return JSON.stringify(this.#answerTo(asked))
    const { batch = Number.POSITIVE_INFINITY } = this.limits
    if (asked.length > batch) {
      const error = {
        code: -32600,
        message: batch === 1 ? 'batches are not supported' : 'batch too large',
      }
      return JSON.stringify({ jsonrpc: '2.0', id: null, error })
    }
    return JSON.stringify(asked.map((call) => this.#answerTo(call)))
  }

  #answerTo(call: Call) {
    const answer = this.#strikes(this.faults.failedQuestion)
      ? { error: { code: -32000, message: 'header not found' } }
      : this.#resultOf(call.method, call.params ?? [])
    return { jsonrpc: '2.0', id: call.id, ...answer }
  }

  #resultOf(method: string, params: unknown[]): Answer {
    const view = new ChainView(
      this.chain,
      this.views[Math.floor(this.#random() * this.views.length)]!,
    )
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return {
          result: quantity(this.chain.chainId + (this.#strikes(this.faults.wrongChain) ? 1 : 0)),
        }
      case 'eth_blockNumber':
        return { result: quantity(view.head.number) }
      case 'eth_getBlockByNumber':
        if ((first === 'safe' || first === 'finalized') && !this.tags.includes(first))
          return {
            error: { code: -32602, message: `invalid argument 0: hex string without 0x prefix` },
          }
        if (second === true && (view.named(first)?.transactions.length ?? 0) > this.wholeBlockMax)
          return { error: { code: -32000, message: 'response too large' } }
        return { result: shown(view.named(first), second === true) }
      case 'eth_getBlockByHash':
        return { result: shown(view.byHash(String(first)), second === true) }
      case 'eth_getBlockReceipts': {
        if (!this.hasBlockReceipts) return unknownMethod(method)
        const block = view.named(first)
        return { result: block && this.hasReceipts ? this.#receiptsOf(block) : null }
      }
      case 'eth_getTransactionReceipt':
        return {
          result:
            this.missingReceipts.has(String(first)) || !this.hasReceipts
              ? null
              : this.#receiptOf(view, String(first)),
        }
      case 'eth_getCode':
        return { result: this.chain.code.get(String(first).toLowerCase()) ?? '0x' }
      case 'eth_getLogs':
        return answerLogs(view, first as LogsQuery, {
          limits: this.limits,
          strikes: (fault) => this.#strikes(this.faults[fault]),
          random: this.#random,
          tellsBlockTime: this.tellsBlockTime,
          leavesOutWithin: this.leavesOutWithin,
        })
      default:
        return unknownMethod(method)
    }
  }

  #receiptOf(view: ChainView, hash: string): object | null {
    for (let number = view.head.number; number >= this.chain.firstBlock; number--) {
      const block = view.at(number)
      const index = block?.transactions.findIndex((transaction) => transaction.hash === hash) ?? -1
      if (index !== -1) return this.#placed(hash, receiptsOf(block!)[index]!)
    }
    return null
  }

  #receiptsOf(block: ScriptedBlock): object[] {
    return receiptsOf(block).flatMap((receipt, at) => {
      const { hash } = block.transactions[at]!
      const isMissing = this.missingReceipts.has(hash) || this.omittedReceipts.has(hash)
      return isMissing ? [] : [this.#placed(hash, receipt)]
    })
  }

  #placed(hash: string, receipt: object): object {
    const blockHash = `0x${'1'.repeat(64)}`
    return this.misplacedReceipts.has(hash) ? { ...receipt, blockHash } : receipt
  }

  /** Draws a random number only for enabled faults, so that a node without faults behaves the same for every seed. */
  #strikes(probability: number | undefined): boolean {
    return probability !== undefined && probability > 0 && this.#random() < probability
  }
}

function envelope(status: number, error: RpcError): NodeAnswer {
  return { status, headers: JSON_TYPE, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
}

function unknownMethod(method: string): Answer {
  return { error: { code: -32601, message: `the method ${method} does not exist` } }
}

function shown(block: ScriptedBlock | undefined, whole: boolean) {
  if (!block) return null
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: quantity(block.timestamp),
    logsBloom: block.logsBloom,
    transactions: whole ? shownTransactions(block) : block.transactions.map(({ hash }) => hash),
  }
}
