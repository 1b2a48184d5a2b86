/** Errors of writes to the contract. Each class states whether anything was sent. */
import { SvcError } from '../failures.ts'
import type { Refusal } from './contract-coding.ts'
import { fixOf } from './contract-fixes.ts'

/**
 * The contract rejects the call. This is usually detected before anything is sent. `transaction` is set if the
 * transaction was mined anyway, and its gas spent.
 */
export class TransactionReverted extends SvcError {
  override name = 'TransactionReverted'
  /** The contract's custom error, such as `GroupDoesNotExist`; `unknown` if it returned none. */
  readonly errorName: string
  /** Arguments of the custom error as text, in ABI order. */
  readonly args: readonly string[]
  readonly transaction: string | undefined

  constructor(what: string, { errorName, args }: Refusal, transaction?: string) {
    const said = args.length === 0 ? errorName : `${errorName}(${args.join(', ')})`
    const sent = transaction === undefined ? 'nothing was sent' : `transaction ${transaction}`
    super(`The contract refuses to ${what}: ${said} (${sent}).`, {
      code: errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
      fix: fixOf(errorName),
    })
    this.errorName = errorName
    this.args = args
    this.transaction = transaction
  }
}

/**
 * The wait ended before the transaction was mined; it may still be mined. `cause` is the signal's reason, or the error
 * of a node that stopped responding.
 */
export class TransactionPending extends SvcError {
  override name = 'TransactionPending'
  /** The hash; absent if the wallet's response was lost. */
  readonly transaction: string | undefined
  /** Hash of the usage key that it registers, so that the key can be removed. The key itself was not returned. */
  readonly usageApiKeyHash: string | undefined

  constructor(what: string, transaction: string | undefined, options: PendingOptions = {}) {
    const { usageApiKeyHash, cause } = options
    const sent =
      transaction === undefined
        ? `Whether the transaction to ${what} was sent is not known.`
        : `The transaction to ${what} was sent, and is not mined yet: ${transaction}.`
    const look = 'Look for it in the wallet, and do not write again before it is mined or gone.'
    const fix = look + ifMined(usageApiKeyHash)
    super(sent, { code: 'transaction_pending', fix }, { cause })
    this.transaction = transaction
    this.usageApiKeyHash = usageApiKeyHash
  }
}

/** Advice for a transaction that registers a usage key. */
function ifMined(usageApiKeyHash: string | undefined): string {
  if (usageApiKeyHash === undefined) return ''
  return ` If it is mined, remove the key ${usageApiKeyHash} by its hash, and make another.`
}

type PendingOptions = { usageApiKeyHash?: string | undefined; cause?: unknown }

/** Another transaction with the same nonce was mined: the owner cancelled or changed this one in the wallet. */
export class TransactionReplaced extends SvcError {
  override name = 'TransactionReplaced'
  readonly transaction: string
  /** The mined transaction; absent if it was not found, in which case it may be the same call with another fee. */
  readonly replacedBy: string | undefined
  /** Hash of the usage key that it was to register. The key itself was not returned. */
  readonly usageApiKeyHash: string | undefined
  constructor(
    what: string,
    transaction: string,
    replacedBy: string | undefined,
    usageApiKeyHash?: string,
  ) {
    const by = replacedBy === undefined ? 'another' : `${replacedBy}, and has no effect`
    const fix =
      replacedBy === undefined
        ? `Look into the account whether the call was made by the other transaction.${ifMined(usageApiKeyHash)}`
        : 'Make the call again, if it is still meant.'
    super(`The transaction to ${what}, ${transaction}, was replaced by ${by}.`, {
      code: 'transaction_replaced',
      fix,
    })
    this.transaction = transaction
    this.replacedBy = replacedBy
    this.usageApiKeyHash = usageApiKeyHash
  }
}

/** The node no longer has the transaction, and its nonce is unused. The fee may have been too low. */
export class TransactionDropped extends SvcError {
  override name = 'TransactionDropped'
  readonly transaction: string
  /** Hash of the usage key that it was to register. The key itself was not returned. */
  readonly usageApiKeyHash: string | undefined
  constructor(what: string, transaction: string, usageApiKeyHash?: string) {
    const cancel =
      'Another node may have it yet: cancel it in the wallet before you make the call again.'
    super(`The transaction to ${what}, ${transaction}, is not known to the node any more.`, {
      code: 'transaction_dropped',
      fix: cancel + ifMined(usageApiKeyHash),
    })
    this.transaction = transaction
    this.usageApiKeyHash = usageApiKeyHash
  }
}

/** The wallet cannot pay for the gas. Nothing was sent. */
export class InsufficientFunds extends SvcError {
  override name = 'InsufficientFunds'
  readonly address: string
  constructor(what: string, address: string) {
    super(`The wallet ${address} can not pay the gas to ${what}.`, {
      code: 'insufficient_funds',
      fix: `Send some of the chain’s token to ${address}, and make the call again.`,
    })
    this.address = address
  }
}

/** The node is unavailable. Nothing was sent. */
export class ChainUnavailable extends SvcError {
  override name = 'ChainUnavailable'
  constructor(what: string, options?: ErrorOptions) {
    const fix = 'Try again; look at the node that the wallet is connected to.'
    super(
      `The wallet’s node does not answer: ${what}.`,
      { code: 'chain_unavailable', fix },
      options,
    )
  }
}

/** The contract does not exist, or is not the pinned one. Nothing was sent. */
export class WrongContract extends SvcError {
  override name = 'WrongContract'
  readonly contractAddress: string
  constructor(contractAddress: string, reason: string, fix: string) {
    super(`${contractAddress}: ${reason}.`, { code: 'wrong_contract', fix })
    this.contractAddress = contractAddress
  }
}
