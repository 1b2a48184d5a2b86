import { accountHashOfWallet } from '../../crypto/typed-data.ts'
import type { CallOptions } from '../options.ts'
import { abortable, anySignal } from '../abortable.ts'
import {
  type AccountView,
  loadContractCodec,
  type PolicyChange,
  type WalletPolicyView,
} from './contract-codec.ts'
import { RevertedError } from './wallet-node.ts'
import { addressOf } from './sign.ts'
import { TransactionReverted } from './transaction-failures.ts'
import { type MinedTransaction, Transactions, type TransactionParts } from './transactions.ts'
import { requireChain } from './wallet-chain.ts'

export class AccountContract {
  readonly #parts: TransactionParts
  readonly #transactions: Transactions

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.#transactions = new Transactions(parts)
  }

  /** Time at which the last transaction was mined, in Unix milliseconds. Undefined if no transaction was mined. */
  get lastWriteAt(): number | undefined {
    return this.#transactions.lastMinedAt
  }

  /**
   * Sends a transaction. The first argument, before `args`, is the wallet's own hash. If the account was converted or
   * transferred, that hash is an alias of the account's hash.
   */
  async write(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options?: CallOptions & { usageApiKeyHash?: string },
  ): Promise<MinedTransaction> {
    const { usageApiKeyHash } = options ?? {}
    const write = {
      what,
      functionName,
      args: (sender: string) => [accountHashOfWallet(sender), ...args],
      ...(usageApiKeyHash !== undefined && { usageApiKeyHash }),
    }
    return this.#transactions.write(write, options)
  }

  /** Sends a transaction without an account hash, to open an account. */
  async writeAsWallet(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options?: CallOptions,
  ): Promise<MinedTransaction> {
    return this.#transactions.write({ what, functionName, args: () => args }, options)
  }

  /**
   * Reads the account at the latest block.
   * @throws {TransactionReverted} `AccountDoesNotExist` if the wallet has no account
   */
  async account(options?: CallOptions): Promise<AccountView> {
    const coding = await loadContractCodec()
    return coding.account(await this.#read('read the account', 'accountOf', [], options))
  }

  /**
   * Reads the policy of a wallet at the latest block.
   * @throws {TransactionReverted} `WalletDoesNotExist`, `WalletHasNoPolicy`
   */
  async policy(pkpId: string, options?: CallOptions): Promise<WalletPolicyView> {
    const coding = await loadContractCodec()
    const what = 'read the policy of the wallet'
    return coding.policy(await this.#read(what, 'walletPolicyOf', [pkpId], options))
  }

  /** Reads the policies of all wallets that have one at the latest block. */
  async policies(options?: CallOptions): Promise<WalletPolicyView[]> {
    const coding = await loadContractCodec()
    return coding.policies(await this.#read('read the policies', 'walletPoliciesOf', [], options))
  }

  /**
   * Returns true if the wallet is currently the admin of an account in ChainSecured mode.
   * @throws any error of the read other than a revert
   */
  async isWalletAdmin(): Promise<boolean> {
    try {
      const { managed, adminWallet } = await this.account()
      return !managed && adminWallet.toLowerCase() === (await this.address()).toLowerCase()
    } catch (error) {
      if (error instanceof TransactionReverted) return false
      throw error
    }
  }

  /**
   * Returns the account's hash, which stays the same when the admin changes.
   * @throws {TransactionReverted} `AccountDoesNotExist` if the wallet has no account
   */
  async hash(options?: CallOptions): Promise<string> {
    const coding = await loadContractCodec()
    const master = coding.accountHash(
      await this.#read('look up the account', 'masterOf', [], options),
    )
    if (master !== undefined) return master
    const args = [accountHashOfWallet(await this.address())]
    throw new TransactionReverted('look up the account', { errorName: 'AccountDoesNotExist', args })
  }

  async createdGroupId({ logs }: MinedTransaction): Promise<number> {
    const coding = await loadContractCodec()
    const { contractAddress } = await this.#parts.deployment()
    const id = coding.createdGroupId(logs, contractAddress)
    if (id === undefined) throw new Error('the transaction that creates a group emitted no event')
    return id
  }

  async policyChange({ logs }: MinedTransaction): Promise<PolicyChange> {
    const coding = await loadContractCodec()
    const { contractAddress } = await this.#parts.deployment()
    const change = coding.policyChange(logs, contractAddress)
    if (!change) throw new Error('the transaction that sets a policy emitted no event')
    return change
  }

  async address(): Promise<string> {
    return addressOf(this.#parts.wallet)
  }

  async #read(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options: CallOptions = {},
  ): Promise<string> {
    const { wallet, node, deployment } = this.#parts
    const signal = anySignal(this.#parts.signal, options.signal)
    signal?.throwIfAborted()
    const { chainId, contractAddress } = await abortable(deployment(), signal)
    const from = await abortable(this.address(), signal)
    await abortable(requireChain(wallet, chainId), signal)
    const coding = await loadContractCodec()
    const data = coding.encode(functionName, [accountHashOfWallet(from), ...args])
    try {
      return await node.call({ from, to: contractAddress, data }, signal)
    } catch (error) {
      if (!(error instanceof RevertedError)) throw error
      const refusal = error.data === undefined ? undefined : coding.decodeError(error.data)
      throw new TransactionReverted(what, refusal ?? { errorName: 'unknown', args: [] })
    }
  }
}
