import { addressOfPkp } from '../../shared/wire/fields.ts'
import {
  WALLET_STATEMENT_TYPE,
  type WalletStatement,
} from '../../shared/receipts/wallet-statement.ts'
import { WalletNotFoundError } from '../accounts/account-lookups.ts'
import type { Account, AccountWallet } from '../accounts/account.ts'
import type { ContractChain } from '../accounts/chain.ts'
import { type Keyring, NO_LOCK } from '../keys/keyring.ts'
import { policyWalletOf } from '../policies/policy-wallet.ts'
import { JwsSigner } from './jws-signer.ts'

export type WalletKeyStatement = Pick<
  WalletStatement,
  'wallet_address' | 'pkp_id' | 'derivation' | 'lock'
> & {
  /** Signed statement that contains the same fields, and the account, the application and the contract. */
  statement: string
}

export type WalletStatementsOptions = {
  keyring: Keyring
  /** 32 bytes as lower-case hex. */
  composeHash: string
  chain: Pick<ContractChain, 'chainId' | 'contractAddress'>
}

/**
 * Signs statements about the derivation of wallet keys. The signing key is the receipt key. A statement has no
 * timestamp, because its content never changes.
 */
export class WalletStatements {
  readonly #options: WalletStatementsOptions
  readonly #signer: JwsSigner

  constructor(options: WalletStatementsOptions) {
    this.#options = options
    this.#signer = new JwsSigner(options.keyring.receiptKey(), WALLET_STATEMENT_TYPE)
  }

  /**
   * @param chainTime Unix seconds by the chain's clock
   * @throws {WalletNotFoundError} if the account does not have the wallet, or no key of the account has its address
   */
  statementFor({ hash, wallets }: Account, pkpId: string, chainTime: number): WalletKeyStatement {
    const wallet = wallets.get(pkpId)
    const key = wallet && this.#keyOf(hash, wallet, chainTime)
    if (!key) throw new WalletNotFoundError(hash, pkpId)
    const { composeHash, chain } = this.#options
    const stated = { wallet_address: addressOfPkp(pkpId), pkp_id: pkpId, ...key }
    const payload: WalletStatement = {
      v: 1,
      account_hash: hash,
      ...stated,
      compose_hash: composeHash,
      chain_id: Number(chain.chainId),
      contract: chain.contractAddress,
    }
    return { ...stated, statement: this.#signer.sign(payload) }
  }

  #keyOf(
    accountHash: string,
    wallet: AccountWallet,
    chainTime: number,
  ): Pick<WalletStatement, 'derivation' | 'lock'> | undefined {
    const { keyring } = this.#options
    const governed = policyWalletOf(keyring, accountHash, wallet, chainTime)
    if (governed)
      return { derivation: 'policy', lock: governed.lock === NO_LOCK ? null : governed.lock }
    const { address } = keyring.walletPublicKey(accountHash, wallet.derivationPath)
    return address === addressOfPkp(wallet.pkpId)
      ? { derivation: 'exportable', lock: null }
      : undefined
  }
}
