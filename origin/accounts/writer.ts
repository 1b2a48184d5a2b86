import { isError, type TransactionReceipt, Wallet } from 'ethers'
import { accountConfig, type Chain, ChainUnavailable } from './chain.ts'
import type { AccountsMirror } from './mirror.ts'

/** The contract refused the write by one of its named errors. */
export class ContractRefused extends Error {
  readonly errorName: string
  constructor(errorName: string) {
    super(`the contract refused the write: ${errorName}`)
    this.name = 'ContractRefused'
    this.errorName = errorName
  }

  /** The name as a code for programs: `account_already_exists`. */
  get code(): string {
    return this.errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  }
}

/** A receipt is looked for this often: blocks of the local chain come at once, others are a second or more. */
const RECEIPT_POLL_MS = 20
/** A transaction that is in no block for this long is reported as not confirmed. */
const RECEIPT_WAIT_MS = 60_000
/** Other processes send from the same wallet, so a nonce may be taken by the time it is used. */
const NONCE_TRIES = 10
/** Writes that may wait for their turn: at a block a second, who comes later is better told to try again. */
const WAITING_MAX = 256

/**
 * Sends the writes of managed accounts, paid for by a payer wallet. A write returns when its receipt has been
 * applied to the mirror, so that the next request sees it.
 */
export class AccountsWriter {
  readonly #chain: Chain
  readonly #mirror: AccountsMirror
  readonly #payer: Wallet
  /** Invariant: the next transaction has this nonce; undefined means that the chain has to be asked. */
  #nonce: number | undefined
  #sending: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** How often the chain has failed: writes that waited through a failure fail with it, not one after the other. */
  #failures = 0

  constructor(chain: Chain, mirror: AccountsMirror, payerKey: string) {
    this.#chain = chain
    this.#mirror = mirror
    this.#payer = new Wallet(payerKey, chain.provider)
  }

  /**
   * Calls a function of `WritesFacet`.
   * @returns the receipt, already applied to the mirror
   * @throws {ContractRefused} where the contract says no; nothing was sent
   * @throws {ChainUnavailable} where the chain does not answer
   */
  async write(functionName: string, args: readonly unknown[]): Promise<TransactionReceipt> {
    const data = accountConfig.encodeFunctionData(functionName, args)
    if (this.#waiting >= WAITING_MAX)
      throw new ChainUnavailable('too many writes are waiting for it')
    const failures = this.#failures
    const turn = () => {
      if (this.#failures !== failures)
        throw new ChainUnavailable('it failed while this write waited')
      return this.#send(data)
    }
    this.#waiting++
    const sent = this.#sending.then(turn, turn).finally(() => this.#waiting--)
    this.#sending = sent
    const receipt = await this.#receipt(await sent)
    await this.#mirror.syncTo(receipt.blockNumber)
    return receipt
  }

  /** One at a time: a nonce is used up only by a transaction that the node has taken. */
  async #send(data: string): Promise<string> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#sendOnce(data)
      } catch (error) {
        this.#nonce = undefined
        if (tried < NONCE_TRIES && isNonceTaken(error)) continue
        const refusal = this.#refusal(error)
        if (refusal instanceof ChainUnavailable) this.#failures++
        throw refusal
      }
    }
  }

  async #sendOnce(data: string): Promise<string> {
    const call = { from: this.#payer.address, to: this.#chain.contractAddress, data }
    const [gas, fees] = await Promise.all([
      this.#chain.provider.estimateGas(call),
      this.#chain.provider.getFeeData(),
    ])
    this.#nonce ??= await this.#payer.getNonce('pending')
    const transaction = await this.#payer.sendTransaction({
      to: this.#chain.contractAddress,
      data,
      chainId: this.#chain.chainId,
      nonce: this.#nonce,
      gasLimit: (gas * 12n) / 10n,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    })
    this.#nonce++
    return transaction.hash
  }

  async #receipt(hash: string): Promise<TransactionReceipt> {
    const began = performance.now()
    while (performance.now() - began < RECEIPT_WAIT_MS) {
      const receipt = await this.#chain.provider.getTransactionReceipt(hash).catch(() => null)
      if (receipt?.status === 1) return receipt
      if (receipt) throw new ContractRefused('reverted')
      await new Promise((resume) => setTimeout(resume, RECEIPT_POLL_MS))
    }
    throw new ChainUnavailable('the transaction is not in a block yet')
  }

  #refusal(error: unknown): Error {
    if (isError(error, 'CALL_EXCEPTION')) {
      const parsed = error.data ? accountConfig.parseError(error.data) : null
      return new ContractRefused(parsed?.name ?? 'unknown')
    }
    return new ChainUnavailable('the chain did not take the transaction', { cause: error })
  }
}

/** The node took nothing: another transaction has this nonce. */
function isNonceTaken(error: unknown): boolean {
  return isError(error, 'NONCE_EXPIRED') || isError(error, 'REPLACEMENT_UNDERPRICED')
}
