import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { abortable } from '../abortable.ts'
import type { WalletNode, TransactionReceipt, SentTransaction } from './wallet-node.ts'
import {
  TransactionDropped,
  TransactionPending,
  TransactionReplaced,
} from './transaction-failures.ts'

type SentCall = {
  what: string
  transaction: string
  call: { from: string; to: string; data: string }
  /** Latest block number before the transaction was sent. */
  sentAfter: number
  usageApiKeyHash?: string | undefined
}

type WaitParts = Pick<RuntimeEnvironment, 'now' | 'sleep'> & {
  signal: AbortSignal | undefined
  /** Called if the owner raised the fee, and the same call was mined in another transaction. */
  onRepriced: (transaction: string) => void
}

// Block times range from 250 ms to 12 s, so the first polls are frequent.
const FIRST_WAIT_MS = 200
const WAIT_MAX_MS = 4_000
const WAIT_GROWTH = 1.5

/**
 * Time after which a transaction that no node returns is considered dropped. Nodes behind one address share
 * transactions within seconds.
 */
const DROPPED_AFTER_MS = 60_000

/** Maximum consecutive failures of the node, which take about half a minute in total. */
const FAILURES_MAX = 10

/**
 * Maximum searches for the transaction that replaced ours. Several searches are needed, because nodes lag behind each
 * other.
 */
const REPLACEMENT_SEARCHES_MAX = 10

/**
 * Assumed lag between nodes, in blocks. One node may report the nonce as unused although another node already has the
 * block that used it.
 */
const LAG_BLOCKS = 8

/**
 * @throws {TransactionPending} if the signal aborts, or the node keeps failing
 * @throws {TransactionReplaced | TransactionDropped} if the transaction will never be mined
 */
export async function waitForReceipt(
  node: WalletNode,
  sent: SentCall,
  { now, sleep, signal, onRepriced }: WaitParts,
): Promise<{ transaction: string; receipt: TransactionReceipt }> {
  const { what, usageApiKeyHash } = sent
  const search = new TransactionSearch(node, sent, now)
  const pending = (cause: unknown) =>
    new TransactionPending(what, search.transaction, { usageApiKeyHash, cause })
  let failures = 0
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * WAIT_GROWTH, WAIT_MAX_MS)) {
    const before = search.transaction
    try {
      const receipt = await abortable(search.poll(), signal)
      if (search.transaction !== before) onRepriced(search.transaction)
      if (receipt) return { transaction: search.transaction, receipt }
      failures = 0
    } catch (error) {
      if (signal?.aborted) throw pending(signal.reason)
      if (error instanceof TransactionReplaced || error instanceof TransactionDropped) throw error
      if (++failures === FAILURES_MAX) throw pending(error)
    }
    try {
      await sleep(waitMs, signal)
    } catch (reason) {
      throw pending(reason)
    }
  }
}

class TransactionSearch {
  /** Hash of the transaction that is expected to be mined. The hash changes if the owner raises the fee. */
  transaction: string
  readonly #node: WalletNode
  readonly #sent: SentCall
  readonly #now: () => number
  #nonce: number | undefined
  #lastSeenAt: number
  /** Latest block at which the transaction's nonce was known to be unused. */
  #unusedUntil: number
  #replacementSearches = 0

  constructor(node: WalletNode, sent: SentCall, now: () => number) {
    this.#node = node
    this.#sent = sent
    this.#now = now
    this.transaction = sent.transaction
    this.#unusedUntil = sent.sentAfter
    this.#lastSeenAt = now()
  }

  async poll(): Promise<TransactionReceipt | undefined> {
    const head = await this.#node.blockNumber()
    const receipt = await this.#node.receipt(this.transaction)
    if (receipt) return receipt
    const known = await this.#node.transaction(this.transaction)
    if (known) {
      this.#nonce = known.nonce
      this.#lastSeenAt = this.#now()
    }
    const { from } = this.#sent.call
    if (this.#nonce !== undefined && (await this.#node.minedTransactionCount(from)) > this.#nonce)
      return this.#findReplacement(this.#nonce)
    this.#unusedUntil = Math.max(this.#unusedUntil, head)
    if (!known && this.#now() - this.#lastSeenAt >= DROPPED_AFTER_MS)
      throw new TransactionDropped(this.#sent.what, this.transaction, this.#sent.usageApiKeyHash)
    return undefined
  }

  async #findReplacement(nonce: number): Promise<TransactionReceipt | undefined> {
    const receipt = await this.#node.receipt(this.transaction)
    if (receipt) return receipt
    const { what, usageApiKeyHash } = this.#sent
    const mined = await this.#minedWithNonce(nonce)
    if (mined?.hash === this.transaction) return undefined
    if (mined && this.#isSameCall(mined)) {
      this.transaction = mined.hash
      return this.#node.receipt(mined.hash)
    }
    if (mined || ++this.#replacementSearches === REPLACEMENT_SEARCHES_MAX)
      throw new TransactionReplaced(what, this.transaction, mined?.hash, usageApiKeyHash)
    return undefined
  }

  /** Finds the mined transaction with a nonce, in the blocks since the nonce was last known to be unused. */
  async #minedWithNonce(nonce: number): Promise<SentTransaction | undefined> {
    const head = await this.#node.blockNumber()
    for (let block = head; block > Math.max(this.#unusedUntil - LAG_BLOCKS, 0); block--) {
      const transactions = await this.#node.transactionsIn(block)
      const found = transactions.find(
        (mined) => mined.nonce === nonce && sameHex(mined.from, this.#sent.call.from),
      )
      if (found) return found
    }
    return undefined
  }

  #isSameCall({ to, input }: SentTransaction): boolean {
    const { call } = this.#sent
    return to !== null && sameHex(to, call.to) && sameHex(input, call.data)
  }
}

const sameHex = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
