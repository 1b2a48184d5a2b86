import { JsonRpcApiProvider, keccak256, Network, toQuantity, zeroPadValue } from 'ethers'
import { ChainUnreachableError } from '../../../../shared/rpc/chain-read-errors.ts'
import { FALSE_ANSWERS } from '../../../doubles/faulty-rpc/rpc-faults.ts'
import type { Random } from '../../credits/simulation/random.ts'
import type { Trace } from '../../credits/simulation/trace.ts'
import type { Owner, VirtualTime } from '../../credits/simulation/virtual-time.ts'
import { CHAIN_ID } from '../engine.ts'
import {
  type ModelBlock,
  type ModelChain,
  type ModelReceipt,
  ModelRpcError,
} from './model-chain.ts'

/** Probabilities of faults for a request to a node. All are 0 in calm weather. */
export type RpcWeather = {
  /** The request does not arrive. */
  drop: number
  /** The request is executed, and its response is lost. */
  lose: number
  /** Up to 3 s late, on the way there or back. */
  slow: number
  /** Answered from a state of up to 10 blocks ago. */
  lag: number
  /** A broadcast is answered with a false error. Half of them reach the pool. */
  lie: number
}

export const CALM_RPC: RpcWeather = { drop: 0, lose: 0, slow: 0, lag: 0, lie: 0 }

const LAG_MAX_BLOCKS = 10

export type RpcNetwork = {
  time: VirtualTime
  random: Random
  chain: ModelChain
  weather: RpcWeather
  trace: Trace
  /** Called with the hash when signed bytes arrive at a node. */
  onBroadcast: (hash: string) => void
}

type RpcParams = any[]

/** Provider of one process, over a network that can fail at each request. */
export class ModelProvider extends JsonRpcApiProvider {
  readonly #world: RpcNetwork
  readonly #owner: Owner

  constructor(world: RpcNetwork, owner: Owner) {
    const network = Network.from(CHAIN_ID)
    super(network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 1 })
    this.#world = world
    this.#owner = owner
  }

  override _send(): Promise<never> {
    throw new Error('requests are sent by `send`')
  }

  override send(method: string, params: RpcParams): Promise<any> {
    const { time, random, weather, chain } = this.#world
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const [isDropped, isLost, isLate] = [weather.drop, weather.lose, weather.slow].map((often) =>
      random.chance(often),
    )
    const lateMs = isLate ? random.integer(20, 3_000) : 0
    const isLateThere = random.chance(0.5)
    const lag = random.chance(weather.lag) ? random.integer(1, LAG_MAX_BLOCKS) : 0
    const fail = () =>
      reject(new ChainUnreachableError(undefined, { failures: ['network'], perhapsRange: false }))
    const arrive = () => {
      if (isDropped) return void time.after(1, fail, this.#owner)
      const settle = this.#execute(method, params, chain.blocks.at(-1 - lag) ?? chain.blocks[0]!)
      const back = () => (isLost ? fail() : settle(resolve, reject))
      time.after(0.2 + random.fraction() + (isLateThere ? 0 : lateMs), back, this.#owner)
    }
    // A request in transit arrives even if its process is dead by then.
    time.after(0.2 + random.fraction() + (isLateThere ? lateMs : 0), arrive)
    return promise
  }

  #execute(method: string, params: RpcParams, top: ModelBlock) {
    try {
      const result = this.#respond(method, params, top)
      return (resolve: (result: unknown) => void) => resolve(result)
    } catch (error) {
      if (!(error instanceof ModelRpcError)) throw error
      const { code, message, data } = error
      const answer = { id: 1, error: { code, message, ...(data !== undefined && { data }) } }
      const failure = this.getRpcError({ id: 1, jsonrpc: '2.0', method, params }, answer)
      return (_: unknown, reject: (error: Error) => void) => reject(failure)
    }
  }

  #respond(method: string, params: RpcParams, top: ModelBlock): unknown {
    const { chain } = this.#world
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return toQuantity(CHAIN_ID)
      case 'eth_blockNumber':
        return toQuantity(top.number)
      case 'eth_getBlockByNumber': {
        const block = this.#blockAt(first, top)
        return block && blockJson(block, second === true)
      }
      case 'eth_getBlockByHash': {
        const block = chain.blocks.find(({ hash }) => hash === first)
        return block && block.number <= top.number ? blockJson(block, second === true) : null
      }
      case 'eth_getTransactionCount': {
        const address = String(first).toLowerCase()
        if (second === 'pending' && top === chain.head)
          return toQuantity(chain.pendingNonce(address))
        return toQuantity(chain.account(address, this.#stateAt(second, top)).nonce)
      }
      case 'eth_getBalance':
        return toQuantity(
          chain.account(String(first).toLowerCase(), this.#stateAt(second, top)).balance,
        )
      case 'eth_getTransactionReceipt': {
        const found = chain.receipt(first)
        return found && found.block.number <= top.number
          ? receiptJson(found.receipt, found.block)
          : null
      }
      case 'eth_getTransactionByHash': {
        const found = chain.receipt(first)
        if (found && found.block.number <= top.number)
          return transactionJson(found.receipt.transaction, found)
        return chain.inPool(first) || found ? transactionJson(chain.seen.get(first)!) : null
      }
      case 'eth_sendRawTransaction':
        return this.#broadcast(first)
      case 'eth_estimateGas':
      case 'eth_call':
        chain.requireSuccess({
          from: String(first.from).toLowerCase(),
          to: String(first.to).toLowerCase(),
          value: BigInt(first.value ?? 0),
        })
        return method === 'eth_call' ? '0x' : toQuantity(21_000)
      case 'eth_feeHistory': {
        const count = Number(first)
        const blocks = chain.blocks.slice(Math.max(0, top.number + 1 - count), top.number + 1)
        const percentiles = (params[2] ?? []) as number[]
        return {
          oldestBlock: toQuantity(blocks[0]!.number),
          baseFeePerGas: [...blocks, chain.blocks[top.number + 1] ?? top].map(({ baseFee }) =>
            toQuantity(baseFee),
          ),
          gasUsedRatio: blocks.map(() => 0.5),
          reward: blocks.map(() =>
            percentiles.map((share) => toQuantity(BigInt(share + 1) * 1_000_000n)),
          ),
        }
      }
      case 'eth_maxPriorityFeePerGas':
        return toQuantity(100_000_000n)
      case 'eth_gasPrice':
        return toQuantity(top.baseFee + 100_000_000n)
      default:
        throw new ModelRpcError(-32_601, `the model has no method ${method}`)
    }
  }

  #broadcast(raw: string): string {
    const { chain, random, weather, onBroadcast, trace } = this.#world
    const hash = keccak256(raw)
    trace.add('node', `receives ${hash.slice(0, 10)}`)
    onBroadcast(hash)
    if (random.chance(weather.lie)) {
      const { code, message } = random.pick(Object.values(FALSE_ANSWERS))
      if (random.chance(0.5))
        try {
          chain.submit(raw)
        } catch {
          // The node hides its own error.
        }
      throw new ModelRpcError(code, message)
    }
    return chain.submit(raw)
  }

  #blockAt(tag: string, top: ModelBlock): ModelBlock | null {
    const { chain } = this.#world
    if (tag === 'latest' || tag === 'pending') return top
    if (tag === 'earliest') return chain.blocks[0]!
    const number = Number(tag)
    if (Number.isNaN(number)) throw new ModelRpcError(-32_602, `the model has no block ${tag}`)
    return number <= top.number ? (chain.blocks[number] ?? null) : null
  }

  #stateAt(tag: string | { blockHash: string } | undefined, top: ModelBlock): ModelBlock {
    if (typeof tag === 'object') {
      const block = this.#world.chain.blocks.find(({ hash }) => hash === tag.blockHash)
      if (!block || block.number > top.number) throw new ModelRpcError(-32_001, 'header not found')
      return block
    }
    const block = this.#blockAt(tag ?? 'latest', top)
    if (!block) throw new ModelRpcError(-32_001, 'header not found')
    return block
  }
}

const NO_BLOOM = `0x${'0'.repeat(512)}`
const ZERO_HASH = `0x${'0'.repeat(64)}`
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

function blockJson(block: ModelBlock, isFull: boolean) {
  const { number, hash, parentHash, timestamp, baseFee, receipts } = block
  return {
    number: toQuantity(number),
    hash,
    parentHash,
    timestamp: toQuantity(timestamp),
    baseFeePerGas: toQuantity(baseFee),
    gasLimit: toQuantity(30_000_000),
    gasUsed: toQuantity(21_000 * receipts.length),
    difficulty: '0x0',
    extraData: '0x',
    miner: ZERO_ADDRESS,
    nonce: '0x0000000000000000',
    logsBloom: NO_BLOOM,
    receiptsRoot: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    transactions: receipts.map((receipt) =>
      isFull ? transactionJson(receipt.transaction, { receipt, block }) : receipt.transaction.hash,
    ),
  }
}

type Mined = { receipt: ModelReceipt; block: ModelBlock }

function transactionJson(transaction: ModelReceipt['transaction'], mined?: Mined) {
  const { hash, from, to, nonce, data, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas } =
    transaction
  return {
    type: '0x2',
    chainId: toQuantity(CHAIN_ID),
    hash,
    from,
    to,
    nonce: toQuantity(nonce),
    input: data,
    value: toQuantity(value),
    gas: toQuantity(gasLimit),
    gasPrice: toQuantity(mined?.receipt.effectiveGasPrice ?? maxFeePerGas),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
    accessList: [],
    // The signature is part of `raw`, and nobody checks it here.
    r: zeroPadValue('0x01', 32),
    s: zeroPadValue('0x01', 32),
    v: '0x0',
    yParity: '0x0',
    blockHash: mined?.block.hash ?? null,
    blockNumber: mined ? toQuantity(mined.block.number) : null,
    transactionIndex: mined ? toQuantity(mined.receipt.index) : null,
  }
}

function receiptJson(receipt: ModelReceipt, { hash, number }: ModelBlock) {
  const { transaction, hasSucceeded, gasUsed, effectiveGasPrice, index } = receipt
  return {
    type: '0x2',
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(index),
    blockHash: hash,
    blockNumber: toQuantity(number),
    from: transaction.from,
    to: transaction.to,
    contractAddress: null,
    status: hasSucceeded ? '0x1' : '0x0',
    gasUsed: toQuantity(gasUsed),
    cumulativeGasUsed: toQuantity(gasUsed * BigInt(index + 1)),
    effectiveGasPrice: toQuantity(effectiveGasPrice),
    logs: [],
    logsBloom: NO_BLOOM,
  }
}
