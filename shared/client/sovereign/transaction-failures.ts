/** Errors of transactions. The comment on each class states whether a transaction was sent. */
import { SvcError } from '../failures/svc-error.ts'
import type { ContractError } from './contract-codec.ts'

/**
 * The contract rejected the call, usually before a transaction was sent. If `transaction` is set, the transaction was
 * mined, and its gas was spent.
 */
export class TransactionReverted extends SvcError {
  override name = 'TransactionReverted'
  /**
   * Name of the contract's custom error, such as `GroupDoesNotExist`. `unknown` if the contract returned no custom
   * error.
   */
  readonly errorName: string
  /** Arguments of the custom error as text, in ABI order. */
  readonly args: readonly string[]
  readonly transaction: string | undefined

  constructor(what: string, { errorName, args }: ContractError, transaction?: string) {
    const said = args.length === 0 ? errorName : `${errorName}(${args.join(', ')})`
    const sent = transaction === undefined ? 'nothing was sent' : `transaction ${transaction}`
    super(`The contract rejected the request to ${what}: ${said} (${sent}).`, {
      code: errorName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
      fix: fixOf(errorName),
    })
    this.errorName = errorName
    this.args = args
    this.transaction = transaction
  }
}

/**
 * The transaction was sent but may not be mined yet. `cause` is the signal's reason, or the error of a node that
 * stopped responding.
 */
export class TransactionPending extends SvcError {
  override name = 'TransactionPending'
  /** Hash of the transaction. Undefined if the wallet's response was lost. */
  readonly transaction: string | undefined
  /**
   * Hash of the key that the transaction registers, which can be used to remove the key. The key itself was not
   * returned to the caller.
   */
  readonly usageApiKeyHash: string | undefined

  constructor(what: string, transaction: string | undefined, options: PendingOptions = {}) {
    const { usageApiKeyHash, cause } = options
    const sent =
      transaction === undefined
        ? `It is unknown whether the transaction to ${what} was sent.`
        : `The transaction to ${what} was sent, but is not mined yet: ${transaction}.`
    const look =
      'Look for the transaction in your wallet, and do not retry the call until the transaction is mined or dropped.'
    const fix = look + removeKeyAdvice(usageApiKeyHash)
    super(sent, { code: 'transaction_pending', fix }, { cause })
    this.transaction = transaction
    this.usageApiKeyHash = usageApiKeyHash
  }
}

function removeKeyAdvice(usageApiKeyHash: string | undefined): string {
  if (usageApiKeyHash === undefined) return ''
  return ` If the transaction is mined, remove the key ${usageApiKeyHash} by its hash, and create another key.`
}

type PendingOptions = { usageApiKeyHash?: string | undefined; cause?: unknown }

/**
 * Another transaction with the same nonce was mined, because the owner cancelled or changed the original one in the
 * wallet.
 */
export class TransactionReplaced extends SvcError {
  override name = 'TransactionReplaced'
  readonly transaction: string
  /**
   * Hash of the mined transaction. Undefined if that transaction was not found. It may then be the same call with a
   * different fee.
   */
  readonly replacedBy: string | undefined
  /** Hash of the key that would have been registered. The key itself was not returned to the caller. */
  readonly usageApiKeyHash: string | undefined
  constructor(
    what: string,
    transaction: string,
    replacedBy: string | undefined,
    usageApiKeyHash?: string,
  ) {
    const by = replacedBy === undefined ? 'another transaction' : `${replacedBy}, and has no effect`
    const fix =
      replacedBy === undefined
        ? `Check whether the other transaction already made this change to the account.${removeKeyAdvice(usageApiKeyHash)}`
        : 'If you still want the change, retry the call.'
    super(`The transaction to ${what}, ${transaction}, was replaced by ${by}.`, {
      code: 'transaction_replaced',
      fix,
    })
    this.transaction = transaction
    this.replacedBy = replacedBy
    this.usageApiKeyHash = usageApiKeyHash
  }
}

/** The node no longer has the transaction, and its nonce is unused. The transaction's fee may have been too low. */
export class TransactionDropped extends SvcError {
  override name = 'TransactionDropped'
  readonly transaction: string
  /** Hash of the key that would have been registered. The key itself was not returned to the caller. */
  readonly usageApiKeyHash: string | undefined
  constructor(what: string, transaction: string, usageApiKeyHash?: string) {
    const cancel =
      'Another node may still have the pending transaction. Cancel the transaction in your wallet before you retry the call.'
    super(`The transaction to ${what}, ${transaction}, is no longer known to the node.`, {
      code: 'transaction_dropped',
      fix: cancel + removeKeyAdvice(usageApiKeyHash),
    })
    this.transaction = transaction
    this.usageApiKeyHash = usageApiKeyHash
  }
}

/** The wallet cannot pay for the gas of a transaction. Nothing was sent. */
export class InsufficientFunds extends SvcError {
  override name = 'InsufficientFunds'
  readonly address: string
  constructor(what: string, address: string) {
    super(`The wallet ${address} cannot pay the gas to ${what}.`, {
      code: 'insufficient_funds',
      fix: `Send some of the chain’s native token to ${address}, then retry the call.`,
    })
    this.address = address
  }
}

/** The node of the chain is unavailable. Nothing was sent. */
export class ChainUnavailable extends SvcError {
  override name = 'ChainUnavailable'
  constructor(what: string, options?: ErrorOptions) {
    const fix = 'Check the node that the wallet is connected to, and try again.'
    super(
      `The wallet’s node does not respond: ${what}.`,
      { code: 'chain_unavailable', fix },
      options,
    )
  }
}

/** The accounts contract does not exist, or does not have the expected address. Nothing was sent. */
export class WrongContract extends SvcError {
  override name = 'WrongContract'
  readonly contractAddress: string
  constructor(contractAddress: string, reason: string, fix: string) {
    super(`${contractAddress}: ${reason}.`, { code: 'wrong_contract', fix })
    this.contractAddress = contractAddress
  }
}

/** Advice for the account's admin, by custom error of the contract (docs/contracts.md, Errors). */
const FIXES: Readonly<Record<string, string>> = {
  AccountDoesNotExist: 'Open an account with newAccount, or connect the account’s admin wallet.',
  AccountAlreadyExists:
    'Use a wallet that was never the admin of an account: a former admin cannot become one again.',
  NoAccountAccess:
    'Connect the account’s current admin wallet; the account may have been transferred.',
  ApiKeyRevoked: 'Connect the account’s admin wallet.',
  InvalidRequest: 'Correct the value that the error names.',
  TooManyIds:
    'Send fewer IDs. If the group is full, remove an entry first, or create another group.',
  TooLong: 'Send a shorter text. Its length is counted in UTF-8 bytes.',
  WalletAlreadyExists: 'Retry the call; a different wallet will be derived.',
  WalletHasNoPolicy:
    'Create another wallet with a policy: the key of a wallet that was created without one may have been read.',
  PolicyIsImmutable: 'Create another wallet: this policy can never be changed.',
  PolicyChanged: 'Read the policy that holds now with getWalletPolicy, and retry the call.',
  PolicyNotAttested: 'Retry the call. If it fails again, check that baseUrl is the service’s.',
  WalletDoesNotExist: 'Use a wallet from listWallets, or 32 zero bytes for every wallet.',
  GroupDoesNotExist: 'Use a group from listGroups. IDs of removed groups are not reused.',
  ActionDoesNotExist:
    'Register the action with addAction, or with addActionToGroup, which also permits it in a group.',
  ActionAlreadyExists: 'To change the name or description of the action, use updateActionMetadata.',
  UsageApiKeyDoesNotExist: 'Use a key from listApiKeys, which does not include removed keys.',
  UsageApiKeyAlreadyExists: 'Retry the call; a different key will be generated.',
  ApiKeyHashAlreadyRevoked: 'Retry the call; a different key will be generated.',
  TooMuchGas:
    'Make fewer changes in one call. A transaction is limited to 16,777,216 gas (EIP-7825).',
}

function fixOf(errorName: string): string {
  if (Object.hasOwn(FIXES, errorName)) return FIXES[errorName]!
  return 'See docs/contracts.md for the meaning of this error, and correct the values.'
}
