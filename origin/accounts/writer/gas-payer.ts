import { computeAddress, isError, type JsonRpcApiProvider, SigningKey } from 'ethers'
import type { AuditContext } from '../../audit-log/context.ts'
import { ContractUnavailableError } from '../chain.ts'
import type { Fees, GasMarket } from './fees.ts'
import { LiveWrite } from './live-write.ts'
import { type UnsignedCall, isUnderpricedError, signTransaction } from './transaction.ts'
import type { NewWrite, WriteOutbox } from './write-outbox.ts'

export type WriteRequest = Omit<UnsignedCall, 'chainId'> & {
  writeId: string
  functionName: string
  audit?: AuditContext | undefined
}

export type GasPayerOptions = {
  number: number
  privateKey: string
  chainId: bigint
  provider: JsonRpcApiProvider
  outbox: WriteOutbox
  market: GasMarket
}

/**
 * Wallet that pays for transactions. Transactions are signed and recorded one at a time, in nonce order, without
 * waiting for blocks in between. Only one process at a time holds the lease on a payer.
 */
export class GasPayer {
  readonly number: number
  readonly address: string
  /** Writes that are not final yet, by write ID. */
  readonly live = new Map<string, LiveWrite>()
  /** True while this process holds the lease on the payer. Once false, no more transactions are signed. */
  held = true
  /** Transaction count of the payer on the chain at the last check. Undefined if it must be fetched again. */
  count: number | undefined
  /** Balance of the payer minus the maximum cost of all unmined writes, in wei. Undefined if unknown. */
  credit: bigint | undefined
  /** Number of consecutive checks at which no live write had the nonce that the chain expects next. */
  nonceGapChecks = 0
  readonly #options: GasPayerOptions
  readonly #key: SigningKey
  #turn: Promise<unknown> = Promise.resolve()
  /**
   * True at first, and if the last write may or may not have been recorded. The outbox must then be read before the
   * next write is recorded.
   */
  #needsReload = true

  constructor(options: GasPayerOptions) {
    this.#options = options
    this.number = options.number
    this.#key = new SigningKey(options.privateKey)
    this.address = computeAddress(this.#key)
  }

  /** Live writes that are not known to be mined. */
  get sent(): LiveWrite[] {
    return [...this.live.values()].filter((write) => write.receipt === undefined)
  }

  /**
   * Signs a transaction, and records it before sending it.
   * @returns `known` if the write ID is already recorded, `lost` if another process holds the payer
   */
  async send(request: WriteRequest): Promise<LiveWrite | 'known' | 'lost'> {
    return this.runExclusive(async () => {
      if (!this.held) return 'lost'
      await this.#reload()
      const fees = await this.#options.market.current()
      if (this.count === undefined) await this.refresh()
      const nonce = this.#freeNonce()
      const call = { ...request, chainId: this.#options.chainId }
      const transaction = signTransaction(this.#key, call, nonce, fees)
      const write = new LiveWrite({ ...request, nonce }, [transaction])
      this.#needsReload = true
      const recorded = await this.#record(write, request.audit)
      this.#needsReload = false
      if (recorded === 'lease_lost') {
        this.held = false
        return 'lost'
      }
      if (recorded === 'known') return 'known'
      this.live.set(write.writeId, write)
      if (this.credit !== undefined) this.credit -= write.costMax
      void this.broadcast(write)
      return write
    })
  }

  /**
   * Replaces the transaction of a write by one with higher fees, or with a new nonce if another transaction has
   * permanently used the old nonce.
   * @returns false if the write was mined in the meantime, or this process may no longer sign it
   */
  async replaceTransaction(
    write: LiveWrite,
    fees: Fees,
    change: 'fees' | 'nonce',
  ): Promise<boolean> {
    return this.runExclusive(async () => {
      if (!this.held || write.receipt) return false
      if (this.count === undefined) await this.refresh()
      const { to, data, value, gasLimit, chainId } = write.current
      const call = { to: to!, data, value, gasLimit, chainId }
      const nonce = change === 'nonce' ? this.#freeNonce() : write.nonce
      const transaction = signTransaction(this.#key, call, nonce, fees)
      const transactions = [...write.transactions, transaction]
      const row = this.#row(write, nonce, transactions)
      if (!(await this.#options.outbox.recordReplacement(row))) {
        this.held = false
        return false
      }
      write.nonce = nonce
      write.transactions = transactions
      write.signedAt = performance.now()
      write.isUnderpriced = false
      write.nonceUsedChecks = 0
      write.nextSince = undefined
      await this.broadcast(write)
      return true
    })
  }

  /** Ignores unrecognized errors, because the next check determines the state of the write. */
  async broadcast(write: LiveWrite): Promise<void> {
    write.sentAt = performance.now()
    try {
      await this.#options.provider.send('eth_sendRawTransaction', [write.current.serialized])
    } catch (error) {
      if (isError(error, 'REPLACEMENT_UNDERPRICED') || isUnderpricedError(error))
        write.isUnderpriced = true
      else if (isError(error, 'NONCE_EXPIRED')) this.count = undefined
      else if (isError(error, 'INSUFFICIENT_FUNDS')) this.credit = 0n
    }
  }

  async refresh(): Promise<void> {
    const { provider } = this.#options
    const [count, balance] = await Promise.all([
      provider.getTransactionCount(this.address, 'latest'),
      provider.getBalance(this.address, 'latest'),
    ])
    this.count = count
    this.credit = this.sent.reduce((left, write) => left - write.costMax, balance)
  }

  async reload(): Promise<void> {
    await this.runExclusive(() => this.#reload())
  }

  /** Runs an action after all earlier ones have finished, so that no two transactions are signed concurrently. */
  runExclusive<Result>(action: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(action, action)
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #reload(): Promise<void> {
    if (!this.#needsReload) return
    for (const row of await this.#options.outbox.unsettled(this.number))
      if (!this.live.has(row.writeId)) this.live.set(row.writeId, LiveWrite.fromRow(row))
    this.#needsReload = false
  }

  async #record(
    write: LiveWrite,
    audit: AuditContext | undefined,
  ): Promise<'recorded' | 'known' | 'lease_lost'> {
    try {
      return await this.#options.outbox.record({ ...this.#row(write), audit })
    } catch (error) {
      // The row may have been committed. In that case, the write is sent when the outbox is read again.
      throw new ContractUnavailableError(
        'the write may not have been recorded and may still succeed; if the operation accepts an Idempotency-Key, retry with the same key to get its result',
        { cause: error },
      )
    }
  }

  /** Returns the lowest nonce that is used neither on the chain nor by a live write, so that gaps are filled first. */
  #freeNonce(): number {
    const taken = new Set([...this.live.values()].map(({ nonce }) => nonce))
    let nonce = this.count ?? 0
    while (taken.has(nonce)) nonce++
    return nonce
  }

  #row(write: LiveWrite, nonce = write.nonce, transactions = write.transactions): NewWrite {
    const { writeId, functionName } = write
    const serialized = transactions.map((one) => one.serialized)
    return { writeId, functionName, payer: this.number, nonce, transactions: serialized }
  }
}
