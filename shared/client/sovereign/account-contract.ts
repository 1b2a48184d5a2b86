/** The contract as the wallet's account uses it: writes under the wallet's own hash, and reads of the whole account. */
import { accountHashOfWallet } from '../../typed-data.ts'
import { eitherSignal } from '../either-signal.ts'
import type { CallOptions } from '../options.ts'
import { orAborted } from './aborted.ts'
import { type AccountView, contractCoding } from './contract-coding.ts'
import { Reverted } from './node.ts'
import { addressOfWallet } from './sign.ts'
import { TransactionReverted } from './transaction-failures.ts'
import { type Mined, Transactions, type TransactionParts } from './transactions.ts'
import { requireWalletChain } from './wallet-chain.ts'

export class AccountContract {
  readonly #parts: TransactionParts
  readonly #transactions: Transactions

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.#transactions = new Transactions(parts)
  }

  /** When the last transaction was mined, Unix milliseconds. */
  get lastWriteAt(): number | undefined {
    return this.#transactions.lastMinedAt
  }

  /**
   * A write to the wallet's account. The hash that names it goes before `args`: that of the wallet, which is an alias
   * where the account was converted or handed on.
   */
  async write(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options?: CallOptions & { usageApiKeyHash?: string },
  ): Promise<Mined> {
    const { usageApiKeyHash } = options ?? {}
    const write = {
      what,
      functionName,
      args: (sender: string) => [accountHashOfWallet(sender), ...args],
      ...(usageApiKeyHash !== undefined && { usageApiKeyHash }),
    }
    return this.#transactions.write(write, options)
  }

  /** A write that names no account: opening one. */
  async writeAsWallet(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options?: CallOptions,
  ): Promise<Mined> {
    return this.#transactions.write({ what, functionName, args: () => args }, options)
  }

  /** The account of the wallet, as of now. @throws {TransactionReverted} `AccountDoesNotExist` where it has none */
  async account(options?: CallOptions): Promise<AccountView> {
    const coding = await contractCoding()
    return coding.account(await this.#read('read the account', 'accountOf', [], options))
  }

  /** Whether the wallet is the admin of an account in ChainSecured mode, as of now. @throws as `account`, but for none */
  async isOfWallet(): Promise<boolean> {
    try {
      const { managed, adminWallet } = await this.account()
      return !managed && adminWallet.toLowerCase() === (await this.address()).toLowerCase()
    } catch (error) {
      if (error instanceof TransactionReverted) return false
      throw error
    }
  }

  /** Its own hash, which stays when the admin changes. @throws {TransactionReverted} as `account` */
  async hash(options?: CallOptions): Promise<string> {
    const coding = await contractCoding()
    const master = coding.master(await this.#read('look the account up', 'masterOf', [], options))
    if (master !== undefined) return master
    const args = [accountHashOfWallet(await this.address())]
    throw new TransactionReverted('look the account up', { errorName: 'AccountDoesNotExist', args })
  }

  /** The id of the group that a transaction has made. */
  async madeGroup({ logs }: Mined): Promise<number> {
    const coding = await contractCoding()
    const { contractAddress } = await this.#parts.deployment()
    const id = coding.madeGroup(logs, contractAddress)
    if (id === undefined) throw new Error('a group was made, and no event says so')
    return id
  }

  async address(): Promise<string> {
    return addressOfWallet(this.#parts.wallet)
  }

  async #read(
    what: string,
    functionName: string,
    args: readonly unknown[],
    options: CallOptions = {},
  ): Promise<string> {
    const { wallet, node, deployment } = this.#parts
    const signal = eitherSignal(this.#parts.signal, options.signal)
    signal?.throwIfAborted()
    const { chainId, contractAddress } = await orAborted(deployment(), signal)
    const from = await orAborted(this.address(), signal)
    await orAborted(requireWalletChain(wallet, chainId), signal)
    const coding = await contractCoding()
    const data = coding.encode(functionName, [accountHashOfWallet(from), ...args])
    try {
      return await node.call({ from, to: contractAddress, data }, signal)
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      const refusal = error.data === undefined ? undefined : coding.refusal(error.data)
      throw new TransactionReverted(what, refusal ?? { errorName: 'unknown', args: [] })
    }
  }
}
