import { WRITE_GAS_MAX } from '../../limits.ts'
import type { CallOptions, Step } from '../options.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { abortable, anySignal } from '../abortable.ts'
import { type ContractCodec, loadContractCodec } from './contract-codec.ts'
import type { Deployment } from './deployment.ts'
import {
  type EthCall,
  type TransactionLog,
  type WalletNode,
  hexQuantity,
  RevertedError,
} from './wallet-node.ts'
import { waitForReceipt } from './wait-for-receipt.ts'
import { addressOf } from './sign.ts'
import type { WalletAdapter } from './signer.ts'
import {
  TransactionPending,
  TransactionReverted,
  WrongContract,
  InsufficientFunds,
} from './transaction-failures.ts'
import { requireChain } from './wallet-chain.ts'
import type { SvcError } from '../failures/svc-error.ts'
import { isUserRejection, notExecutedReason, revertDataOf } from './provider-errors.ts'
import { NoWallet, WalletFailed, WalletRefused } from './wallet-failures.ts'

type ContractWrite = {
  /** Description of the write for messages and steps, such as `remove group 3`. */
  what: string
  functionName: string
  args: (sender: string) => readonly unknown[]
  /** Hash of the usage key that the call registers. Absent for other calls. */
  usageApiKeyHash?: string
}

export type MinedTransaction = {
  transaction: string
  block: number
  logs: readonly TransactionLog[]
  sender: string
}

export type TransactionParts = Pick<RuntimeEnvironment, 'now' | 'sleep'> & {
  wallet: WalletAdapter
  node: WalletNode
  deployment: () => Promise<Deployment>
  onStep: (step: Step) => void
  signal: AbortSignal | undefined
}

/**
 * Factor on the gas estimate, in tenths. Other transactions may change the contract's state before this one is mined.
 */
const HEADROOM_TENTHS = 12n

export class Transactions {
  readonly #parts: TransactionParts
  /**
   * Queue of transactions. They are sent one at a time, because some wallets give concurrent transactions the same
   * nonce.
   */
  #queue: Promise<unknown> = Promise.resolve()
  readonly #verifiedContracts = new Set<string>()
  #lastMinedAt: number | undefined

  constructor(parts: TransactionParts) {
    this.#parts = parts
  }

  /** Time at which the last transaction was mined, in Unix milliseconds. Undefined if no transaction was mined. */
  get lastMinedAt(): number | undefined {
    return this.#lastMinedAt
  }

  /**
   * Simulates the call, sends one transaction, and waits until the transaction is mined.
   * @throws {WalletRefused | WalletFailed | WrongChain | WrongContract | InsufficientFunds | ChainUnavailable} before
   * anything was sent
   * @throws {TransactionReverted} before anything was sent, unless the error has a `transaction`
   * @throws {TransactionPending | TransactionReplaced | TransactionDropped} after the transaction was sent
   */
  async write(write: ContractWrite, options: CallOptions = {}): Promise<MinedTransaction> {
    const signal = anySignal(this.#parts.signal, options.signal)
    signal?.throwIfAborted()
    const before = this.#queue
    let done = () => {}
    this.#queue = new Promise<void>((resolve) => (done = resolve))
    let sent
    try {
      await abortable(before, signal)
      sent = await this.#send(write, signal, done)
    } catch (error) {
      // If the transaction is pending, the wallet may still be prompting its owner. The queue then continues when
      // `#send` calls `done`.
      if (!(error instanceof TransactionPending)) void before.then(done)
      throw error
    }
    return this.#waitUntilMined(write, sent, signal)
  }

  async #send(write: ContractWrite, signal: AbortSignal | undefined, done: () => void) {
    const { wallet, node, deployment, onStep } = this.#parts
    const [coding, { chainId, contractAddress }] = await abortable(
      Promise.all([loadContractCodec(), deployment()]),
      signal,
    )
    const from = await abortable(addressOf(wallet), signal)
    await abortable(requireChain(wallet, chainId), signal)
    await this.#requireContract(contractAddress, signal)
    const data = coding.encode(write.functionName, write.args(from))
    const call = { from, to: contractAddress, data }
    const gas = await this.#gasFor(write, call, coding, signal)
    const sentAfter = await abortable(node.blockNumber(), signal)
    onStep({ step: 'confirm', what: write.what })
    const sending = wallet.send({ ...call, gas: hexQuantity(gas), chainId: hexQuantity(chainId) })
    sending.then(done, done)
    try {
      const transaction = await abortable(sending, signal)
      onStep({ step: 'sent', what: write.what, transaction })
      return { transaction, call, sentAfter, coding }
    } catch (error) {
      const { usageApiKeyHash } = write
      if (signal?.aborted)
        throw new TransactionPending(write.what, undefined, {
          usageApiKeyHash,
          cause: signal.reason,
        })
      throw sendFailure(error, { write, from, coding })
    }
  }

  async #gasFor(
    { what }: ContractWrite,
    call: EthCall,
    coding: ContractCodec,
    signal: AbortSignal | undefined,
  ): Promise<bigint> {
    const { node } = this.#parts
    try {
      // The call is simulated first, because nodes report fewer details if a gas estimate fails.
      await node.call(call, signal)
      const estimate = await node.estimate(call, signal)
      if (estimate > WRITE_GAS_MAX) {
        const args = [String(estimate), String(WRITE_GAS_MAX)]
        throw new TransactionReverted(what, { errorName: 'TooMuchGas', args })
      }
      const withHeadroom = (estimate * HEADROOM_TENTHS) / 10n
      return withHeadroom < WRITE_GAS_MAX ? withHeadroom : WRITE_GAS_MAX
    } catch (error) {
      if (error instanceof RevertedError)
        throw new TransactionReverted(what, contractErrorOf(error, coding))
      throw error
    }
  }

  /**
   * Requires that the address has code. A call to an address without code succeeds and costs gas, but has no effect.
   */
  async #requireContract(address: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#verifiedContracts.has(address)) return
    if (!(await this.#parts.node.hasCode(address, signal)))
      throw new WrongContract(
        address,
        'no contract exists at this address on the wallet’s chain',
        CHECK_CHAIN_FIX,
      )
    this.#verifiedContracts.add(address)
  }

  async #waitUntilMined(
    { what, usageApiKeyHash }: ContractWrite,
    {
      transaction: first,
      call,
      sentAfter,
      coding,
    }: { transaction: string; call: EthCall; sentAfter: number; coding: ContractCodec },
    signal: AbortSignal | undefined,
  ): Promise<MinedTransaction> {
    const { node, now, sleep, onStep } = this.#parts
    const { transaction, receipt } = await waitForReceipt(
      node,
      { what, transaction: first, call, sentAfter, usageApiKeyHash },
      {
        now,
        sleep,
        signal,
        onRepriced: (other) => onStep({ step: 'sent', what, transaction: other }),
      },
    )
    const { blockNumber: block, logs, succeeded } = receipt
    node.advanceTo(block)
    this.#lastMinedAt = now()
    if (!succeeded) {
      const reason = await node.revertAt(call, block)
      throw new TransactionReverted(what, contractErrorOf(reason, coding), transaction)
    }
    onStep({ step: 'mined', what, transaction, block })
    return { transaction, block, logs, sender: call.from }
  }
}

const CHECK_CHAIN_FIX =
  'Check that the wallet’s node is on the chain itself, and not on a fork of it.'

function contractErrorOf(reverted: RevertedError | undefined, coding: ContractCodec) {
  const { data } = reverted ?? {}
  return (data && coding.decodeError(data)) || { errorName: 'unknown', args: [] }
}

/**
 * Returns the error for a failed send. The transaction counts as unsent only if the wallet or its node reports this.
 * Otherwise, a retry could execute the call twice.
 */
function sendFailure(
  error: unknown,
  {
    write,
    from,
    coding,
  }: { write: { what: string; usageApiKeyHash?: string }; from: string; coding: ContractCodec },
): SvcError {
  const { what, usageApiKeyHash } = write
  // The error is thrown without its cause, because errors of ethers contain the signed transaction.
  if (isUserRejection(error)) return new WalletRefused(what)
  const reason = notExecutedReason(error)
  if (reason === undefined || MAY_BE_SENT.test(reason) || error instanceof NoWallet)
    return new TransactionPending(what, undefined, { usageApiKeyHash })
  const data = revertDataOf(error)
  const refusal = data === undefined ? undefined : coding.decodeError(data)
  if (refusal) return new TransactionReverted(what, refusal)
  if (/insufficient (funds|balance)/i.test(reason)) return new InsufficientFunds(what, from)
  return new WalletFailed(what, reason)
}

/** Messages that report a duplicate. A node may then already have received the transaction. */
const MAY_BE_SENT = /already (known|imported)|known transaction|nonce (is )?too low/i
