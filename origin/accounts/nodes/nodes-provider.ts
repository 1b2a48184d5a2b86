import {
  JsonRpcApiProvider,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  type Network,
  toQuantity,
} from 'ethers'
import { NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import type { RpcCall, RpcResponse } from '../../../shared/rpc/json-rpc.ts'
import { isUnknownBlock } from '../../../shared/rpc/read-header.ts'
import { type ChainNodes, executionFailure, type Subject } from './chain-nodes.ts'

const BATCH_MAX = 100

/** Quantities at the latest block, which differ between nodes that are a few blocks apart. */
const QUANTITIES: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
])

/**
 * Provider of ethers over all nodes of the chain. If there are several, the method decides which of them are asked:
 *
 * - A transaction is sent to all nodes.
 * - Receipts, calls, and blocks and nonces at a given height are accepted only from a quorum, which must agree on
 *   everything that is used of them. A call at the latest block is executed at the highest block of the quorum.
 * - Of the quantities at the latest block, the highest one that a quorum reaches is used.
 * - Of gas estimates, the lowest one that is enough for a quorum is used. A revert is accepted only from a quorum.
 * - Any other request is sent to one node, and to the next one if it fails. No right depends on its response.
 */
export class NodesProvider extends JsonRpcApiProvider {
  readonly #nodes: ChainNodes

  constructor(nodes: ChainNodes, network: Network) {
    super(network, {
      staticNetwork: network,
      cacheTimeout: -1,
      batchStallTime: 0,
      batchMaxCount: nodes.all.length === 1 ? BATCH_MAX : 1,
    })
    this.#nodes = nodes
  }

  override send(method: string, params: any[] | Record<string, any>): Promise<any> {
    this._start()
    return super.send(method, params)
  }

  override async _send(
    payload: JsonRpcPayload | JsonRpcPayload[],
  ): Promise<(JsonRpcResult | JsonRpcError)[]> {
    const payloads = [payload].flat()
    const calls = payloads.map(({ method, params }) => ({ method, params: params as unknown[] }))
    const answers =
      this.#nodes.all.length === 1
        ? await this.#nodes.request(calls)
        : await Promise.all(calls.map((call) => this.#answer(call)))
    return payloads.map(({ id }, index) => ({ id, ...answers[index]! }))
  }

  async #answer(call: RpcCall): Promise<RpcResponse> {
    const { method, params } = call
    switch (method) {
      case 'eth_sendRawTransaction':
        return this.#nodes.broadcast(call)
      case 'eth_estimateGas':
        return this.#nodes.estimate(call)
      case 'eth_call':
        return this.#agree(await this.#atAgreedBlock(call), 'state', JSON.stringify)
      case 'eth_getTransactionReceipt':
        return this.#agree(call, 'receipt', receiptKey)
      case 'eth_getTransactionCount':
        if (isHeight(params[1])) return this.#agree(call, 'state', JSON.stringify)
        break
      case 'eth_getBlockByNumber':
        if (isHeight(params[0])) return this.#agree(call, blockSubject, blockKey)
        break
      default:
    }
    if (QUANTITIES.has(method)) return { result: toQuantity(await this.#nodes.quantity(call)) }
    const [answer] = await this.#nodes.request([call])
    return answer!
  }

  #agree(
    call: RpcCall,
    subject: Subject | ((answer: RpcResponse, other: RpcResponse) => Subject),
    keyOf: (result: any) => string | null,
  ): Promise<RpcResponse> {
    return this.#nodes.agree({
      read: async ({ endpoint }) => {
        const [answer] = await endpoint.call([call], 'live')
        if ('error' in answer! && isUnknownBlock(answer.error))
          throw new NodeLaggingError('the node does not have the block')
        const failure = executionFailure(answer!)
        if (failure) throw failure
        return answer!
      },
      keyOf: (answer) =>
        'error' in answer
          ? `reverted with ${JSON.stringify(answer.error.data ?? '0x')}`
          : keyOf(answer.result),
      subjectOf: typeof subject === 'string' ? () => subject : subject,
    })
  }

  /**
   * Pins a call at the latest block to the hash of a block (EIP-1898), so that all nodes execute it on the same state.
   */
  async #atAgreedBlock({ method, params }: RpcCall): Promise<RpcCall> {
    const [transaction, block, ...others] = params
    if (block !== undefined && block !== 'latest') return { method, params }
    const { hash } = await this.#nodes.head()
    return { method, params: [transaction, { blockHash: hash }, ...others] }
  }
}

const isHeight = (block: unknown) => typeof block === 'string' && block.startsWith('0x')

/**
 * The parts of a block that are used. The hash does not prove them, because it is not computed: a node could return the
 * right hash with a false number, base fee or transaction. Hashes of transactions are only hints which receipts to read,
 * and clients differ in the transactions that bridges add.
 */
function blockKey(block: any): string | null {
  if (block === null) return null
  const { hash, number, parentHash, timestamp, baseFeePerGas, gasLimit, transactions } = block
  const included = [transactions].flat().flatMap(transactionKey)
  const header = [hash, number, parentHash, timestamp, baseFeePerGas, gasLimit]
  return JSON.stringify([header, included]).toLowerCase()
}

function transactionKey(transaction: any): unknown[] {
  if (typeof transaction !== 'object' || transaction === null) return []
  const { hash, from, nonce, to, value, input } = transaction
  return [[hash, from, nonce, to, value, input]]
}

function blockSubject(one: RpcResponse, other: RpcResponse): Subject {
  const [hash, otherHash] = [one, other].map((answer) =>
    'result' in answer ? (answer.result as { hash?: unknown } | null)?.hash : undefined,
  )
  return hash !== undefined && hash === otherHash ? 'contents' : 'block'
}

/** The parts of a receipt that the writer uses. Nodes differ in further fields, and in the case of addresses. */
function receiptKey(receipt: any): string | null {
  if (receipt === null) return null
  const { transactionHash, blockHash, blockNumber, status, from, to } = receipt
  const { gasUsed, effectiveGasPrice, logs } = receipt
  const events = [logs].flat().map((log) => [log?.address, log?.topics, log?.data, log?.logIndex])
  const mined = [transactionHash, blockHash, blockNumber, status, from, to]
  return JSON.stringify([mined, gasUsed, effectiveGasPrice, events]).toLowerCase()
}
