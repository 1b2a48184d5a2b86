import { createHash } from 'node:crypto'
import { getAddress, type JsonRpcProvider, type TransactionReceipt } from 'ethers'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import type { TransactionState } from '../../shared/wire/transaction-states.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import { TransactionIdentityError } from '../transactions/errors.ts'
import { identityOf, requestHashOf, transactionId } from '../transactions/identity.ts'
import type {
  TransactionOrigin,
  TransactionRequest,
  TransactionService,
  TransactionSigner,
  UnsignedTransaction,
} from '../transactions/types.ts'
import { UnknownChainError } from '../transactions/unknown-chain-error.ts'
import type { TestChain, TestChains, TestTransaction } from './types.ts'

export const DEFAULT_CHAINS: TestChains = {
  ethereum: { chainId: 1 },
  optimism: { chainId: 10 },
  polygon: { chainId: 137 },
  base: { chainId: 8_453 },
  arbitrum: { chainId: 42_161 },
  'base-sepolia': { chainId: 84_532 },
  sepolia: { chainId: 11_155_111 },
}

type TestTransactionsOptions = {
  chains: TestChains
  signer: TransactionSigner
  /** Unix milliseconds, on the fake clock. */
  now: () => number
  nameOf: (pkpId: string) => string
}

type Entry = {
  record: TransactionRecord
  requestHash: string
  /** Resolves when the transaction was signed, and, with a node, when it is mined or has failed. */
  progress: Promise<void>
}

const ID_KEY = createHash('sha256').update('svc test: transaction IDs').digest()

/** Gas and fees of transactions on a chain without a node. */
const TRANSFER_GAS = 21_000n
const CALL_GAS = 200_000n
const FEE = 1_000_000_000n
const TIP = 1_000_000n

/** Longest wait for a node to mine a transaction. Anvil mines at once. */
const MINED_WITHIN_MS = 30_000

/** Stands for the service that sends transactions. */
export class TestTransactions implements TransactionService {
  readonly #options: TestTransactionsOptions
  readonly #entries = new Map<string, Entry>()
  /** The last transaction of each wallet on each chain, because nonces are assigned in order. */
  readonly #lanes = new Map<string, { last: Promise<unknown>; nonce: number }>()
  readonly #providers = new Map<string, Promise<JsonRpcProvider>>()

  constructor(options: TestTransactionsOptions) {
    this.#options = options
  }

  /** Returns the transactions in the order in which they were requested, once none makes further progress. */
  async all(): Promise<TestTransaction[]> {
    const entries = [...this.#entries.values()]
    await Promise.all(entries.map(({ progress }) => progress))
    for (const provider of this.#providers.values()) (await provider).destroy()
    return entries.map(({ record }) => ({
      ...record,
      wallet: this.#options.nameOf(record.pkp_id),
    }))
  }

  async send(request: TransactionRequest, origin: TransactionOrigin): Promise<TransactionRecord> {
    const [chain, { chainId }] = this.#chain(request.chain)
    const id = transactionId(
      ID_KEY,
      origin.principal.account.hash,
      identityOf({ ...origin, runId: 'test' }),
    )
    const requestHash = requestHashOf(request, chainId)
    const known = this.#entries.get(id)
    if (known && known.requestHash !== requestHash) throw new TransactionIdentityError(id)
    if (known) return known.record
    const at = new Date(this.#options.now()).toISOString()
    const record: TransactionRecord = {
      id,
      state: 'queued',
      waiting_for: null,
      waiting_message: null,
      chain,
      chain_id: chainId,
      wallet_address: getAddress(addressOfPkp(request.pkpId)),
      pkp_id: request.pkpId,
      to: getAddress(request.to),
      data: request.data,
      value: String(request.value),
      gas: request.gasLimit === undefined ? null : String(request.gasLimit),
      max_fee_per_gas: request.maxFeePerGas === undefined ? null : String(request.maxFeePerGas),
      speed: request.speed ?? 'normal',
      nonce: null,
      attempts: [],
      mined: null,
      replaced_by: null,
      failure: null,
      policy: null,
      action_cid: origin.actionCid,
      run_id: null,
      step: origin.step ?? null,
      created_at: at,
      updated_at: at,
      ended_at: null,
    }
    const entry: Entry = { record, requestHash, progress: Promise.resolve() }
    this.#entries.set(id, entry)
    const lane = this.#lane(chain, request.pkpId)
    entry.progress = lane.last.then(() => this.#advance(entry, request, origin))
    lane.last = entry.progress
    return { ...record }
  }

  async find(_accountHash: string, id: string): Promise<TransactionRecord | undefined> {
    const entry = this.#entries.get(id)
    return entry && { ...entry.record }
  }

  async waitFor(
    accountHash: string,
    id: string,
    state: 'mined' | 'final',
  ): Promise<TransactionRecord | undefined> {
    const entry = this.#entries.get(id)
    if (!entry) return undefined
    await entry.progress
    const { record } = entry
    const isRecordedOnly = this.#chain(record.chain)[1].rpcUrl === undefined
    if (record.state === 'broadcast' && isRecordedOnly)
      this.#mined(entry, {
        hash: record.attempts[0]!.hash,
        block_number: 1,
        block_hash: `0x${createHash('sha256').update(id).digest('hex')}`,
        gas_used: record.gas!,
        effective_gas_price: String(FEE),
      })
    if (record.state === 'mined' && state === 'final') this.#end(entry, 'final')
    return this.find(accountHash, id)
  }

  async hasOpen(chainId: number | undefined, address: string): Promise<boolean> {
    return [...this.#entries.values()].some(
      ({ record }) =>
        record.ended_at === null &&
        record.wallet_address.toLowerCase() === address &&
        (chainId === undefined || record.chain_id === chainId),
    )
  }

  /** Actions cannot list, cancel or speed up transactions. */
  async list(): Promise<{ records: TransactionRecord[]; total: number }> {
    const records = [...this.#entries.values()].map(({ record }) => record)
    return { records, total: records.length }
  }

  async cancel(): Promise<undefined> {}

  async speedUp(): Promise<undefined> {}

  #chain(wanted: string): [name: string, chain: TestChain] {
    const chains = Object.entries(this.#options.chains)
    const found = chains.find(
      ([name, { chainId }]) => name === wanted || String(chainId) === wanted,
    )
    if (found) return found
    throw new UnknownChainError(
      wanted,
      chains.map(([name, { chainId }]) => ({ name, chainId })),
    )
  }

  #lane(chain: string, pkpId: string): { last: Promise<unknown>; nonce: number } {
    const name = `${chain}/${pkpId}`
    const lane = this.#lanes.get(name) ?? { last: Promise.resolve(), nonce: 0 }
    this.#lanes.set(name, lane)
    return lane
  }

  /** Never rejects. */
  async #advance(
    entry: Entry,
    request: TransactionRequest,
    origin: TransactionOrigin,
  ): Promise<void> {
    const { record } = entry
    try {
      const { rpcUrl } = this.#chain(record.chain)[1]
      const provider = rpcUrl === undefined ? undefined : await this.#provider(record, rpcUrl)
      const unsigned = provider
        ? await fromNode(provider, record, request)
        : this.#withoutNode(record, request)
      const result = await this.#options.signer.sign(unsigned, {
        id: record.id,
        accountHash: origin.principal.account.hash,
        pkpId: request.pkpId,
        address: record.wallet_address.toLowerCase(),
        keyHash: origin.principal.keyHash,
        actionCid: origin.actionCid,
      })
      if ('refused' in result) return this.#fail(entry, result.refused)
      const { hash, raw, policy = null } = result.signed
      Object.assign(record, {
        gas: String(unsigned.gasLimit),
        nonce: unsigned.nonce,
        policy,
        attempts: [
          {
            hash,
            kind: 'send',
            nonce: unsigned.nonce,
            max_fee_per_gas: String(unsigned.maxFeePerGas),
            max_priority_fee_per_gas: String(unsigned.maxPriorityFeePerGas),
            created_at: new Date(this.#options.now()).toISOString(),
          },
        ],
      } satisfies Partial<TransactionRecord>)
      this.#change(entry, 'broadcast')
      if (provider) await this.#broadcast(entry, provider, raw)
    } catch (error) {
      this.#fail(entry, { code: 'would_revert', message: messageOf(error) })
    }
  }

  async #broadcast(entry: Entry, provider: JsonRpcProvider, raw: string): Promise<void> {
    const { hash } = await provider.broadcastTransaction(raw)
    const receipt = await provider.waitForTransaction(hash, 1, MINED_WITHIN_MS)
    if (receipt) this.#receive(entry, receipt)
  }

  #receive(entry: Entry, receipt: TransactionReceipt): void {
    this.#mined(entry, {
      hash: receipt.hash,
      block_number: receipt.blockNumber,
      block_hash: receipt.blockHash,
      gas_used: String(receipt.gasUsed),
      effective_gas_price: String(receipt.gasPrice),
    })
    if (receipt.status === 0)
      this.#fail(entry, { code: 'reverted', message: 'the transaction reverted' })
  }

  #mined(entry: Entry, mined: NonNullable<TransactionRecord['mined']>): void {
    entry.record.mined = mined
    this.#change(entry, 'mined')
  }

  #fail(entry: Entry, failure: NonNullable<TransactionRecord['failure']>): void {
    entry.record.failure = failure
    this.#end(entry, 'failed')
  }

  #end(entry: Entry, state: TransactionState): void {
    entry.record.ended_at = new Date(this.#options.now()).toISOString()
    this.#change(entry, state)
  }

  #change({ record }: Entry, state: TransactionState): void {
    record.state = state
    record.updated_at = new Date(this.#options.now()).toISOString()
  }

  #withoutNode(record: TransactionRecord, request: TransactionRequest): UnsignedTransaction {
    const { data, value, to } = request
    const maxFeePerGas = request.maxFeePerGas ?? FEE
    return {
      chainId: record.chain_id,
      nonce: this.#lane(record.chain, request.pkpId).nonce++,
      to,
      data,
      value,
      gasLimit: request.gasLimit ?? (data === '0x' ? TRANSFER_GAS : CALL_GAS),
      maxFeePerGas,
      maxPriorityFeePerGas: maxFeePerGas < TIP ? maxFeePerGas : TIP,
    }
  }

  #provider({ chain, chain_id }: TransactionRecord, rpcUrl: string): Promise<JsonRpcProvider> {
    const known = this.#providers.get(chain)
    if (known) return known
    const opened = import('ethers').then(({ JsonRpcProvider, Network }) => {
      const network = Network.from(chain_id)
      return new JsonRpcProvider(rpcUrl, network, { staticNetwork: network, pollingInterval: 100 })
    })
    this.#providers.set(chain, opened)
    return opened
  }
}

async function fromNode(
  provider: JsonRpcProvider,
  { wallet_address: from, chain_id: chainId }: TransactionRecord,
  { to, data, value, gasLimit, maxFeePerGas }: TransactionRequest,
): Promise<UnsignedTransaction> {
  const [nonce, gas, fees] = await Promise.all([
    provider.getTransactionCount(from, 'pending'),
    gasLimit ?? provider.estimateGas({ from, to, data, value }),
    provider.getFeeData(),
  ])
  const most = maxFeePerGas ?? fees.maxFeePerGas ?? FEE
  const tip = fees.maxPriorityFeePerGas ?? 0n
  return {
    chainId,
    nonce,
    to,
    data,
    value,
    gasLimit: gas,
    maxFeePerGas: most,
    maxPriorityFeePerGas: tip < most ? tip : most,
  }
}

/** Errors of ethers contain the whole request. */
function messageOf(error: unknown): string {
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage)
  return error instanceof Error ? error.message : String(error)
}
