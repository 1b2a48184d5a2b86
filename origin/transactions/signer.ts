import { keccak_256 } from '@noble/hashes/sha3.js'
import { accountHashOfWallet } from '../../shared/crypto/typed-data.ts'
import { readTransaction, type Transaction } from '../../shared/policies/transaction.ts'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import { SEND_TRANSACTION_CID } from '../../shared/wire/send-transaction-action.ts'
import type { Principal } from '../accounts/account.ts'
import { permissionToRun, walletForRun } from '../accounts/permissions.ts'
import { isOwner } from '../accounts/rights.ts'
import type { AccountsState } from '../accounts/state.ts'
import type { Keyring } from '../keys/keyring.ts'
import { cancellationOf, type Fees, fillerOf, requireSameButFees } from '../policies/attempts.ts'
import { type PolicySigner, SignatureDeniedError } from '../policies/policy-signer.ts'
import { derivedWallet, type PlainWallet, type RunWallet } from '../runs/run-wallet.ts'
import { signRequest } from '../signing/sign.ts'
import type { UsageKeyLimits } from '../usage-keys/usage-key-limits.ts'
import type {
  NonceGap,
  SignedTransaction,
  SigningContext,
  SigningResult,
  TransactionSigner,
  UnsignedTransaction,
} from './types.ts'

/** The permission to send the transaction no longer exists. The message is shown to the user. */
class PermissionRevokedError extends Error {
  override readonly name = 'PermissionRevokedError'
}

export type RunTransactionSignerOptions = {
  keyring: Keyring
  mirror: { current(): Pick<AccountsState, 'account' | 'principal'> }
  keyLimits: Pick<UsageKeyLimits, 'isExpired'>
  policySigner: PolicySigner
}

/**
 * Signs transactions with the wallets of accounts. The permission to send one is checked again for each signature,
 * because the key may have been revoked, or the group emptied, since it was requested. A cancellation needs only the
 * wallet, so that the owner can cancel what a revoked key has sent, and so does a transaction that fills a gap.
 */
export class RunTransactionSigner implements TransactionSigner {
  readonly #options: RunTransactionSignerOptions

  constructor(options: RunTransactionSignerOptions) {
    this.#options = options
  }

  async sign(transaction: UnsignedTransaction, context: SigningContext): Promise<SigningResult> {
    return this.#send(context, parsed(transaction, context))
  }

  /** @throws {TypeError} if the transactions differ in more than their fees */
  async replace(
    transaction: UnsignedTransaction,
    replaced: UnsignedTransaction,
    context: SigningContext,
  ): Promise<SigningResult> {
    const [next, before] = [parsed(transaction, context), parsed(replaced, context)]
    requireSameButFees(next, before)
    return this.#send(context, next, before)
  }

  async cancel(
    cancelled: UnsignedTransaction,
    fees: Fees,
    context: SigningContext,
  ): Promise<SigningResult> {
    const before = parsed(cancelled, context)
    const current = () => this.#ownWallet(context)
    return resultOf(async () => {
      const wallet = current()
      if (!wallet.policy)
        return this.#signPlain(cancellationOf(before, wallet.address, fees), wallet)
      const { actionCid: action } = context
      const requested = { cancelled: before, fees, action, wallet, current }
      return signedAs(await this.#options.policySigner.signCancellation(requested))
    })
  }

  /** @throws {TypeError} if the nonce is not below that of the transaction above the gap */
  async fillGap(
    { nonce, above: unsigned, replaced }: NonceGap,
    fees: Fees,
    context: SigningContext,
  ): Promise<SigningResult> {
    const gap = { above: parsed(unsigned, context), nonce: BigInt(nonce) }
    const current = () => this.#ownWallet(context)
    return resultOf(async () => {
      const wallet = current()
      if (!wallet.policy) return this.#signPlain(fillerOf(gap, wallet.address, fees), wallet)
      const { actionCid: action } = context
      const requested = { ...gap, fees, replaced, action, wallet, current }
      return signedAs(await this.#options.policySigner.signFiller(requested))
    })
  }

  #send(
    context: SigningContext,
    transaction: Transaction,
    replaced?: Transaction,
  ): Promise<SigningResult> {
    const current = () => this.#permittedWallet(context)
    return resultOf(async () => {
      const wallet = current()
      if (!wallet.policy) return this.#signPlain(transaction, wallet)
      const { policySigner } = this.#options
      const requested = { transaction, replaced, action: context.actionCid, wallet, current }
      const { result, signature } = await policySigner.signTransaction(requested)
      return signedAs(result, { hash: signature.policy_hash, rule: signature.rule })
    })
  }

  #signPlain(transaction: Transaction, wallet: PlainWallet): SignedTransaction {
    const { address, accountHash, derivationPath } = wallet
    const privateKey = () => this.#options.keyring.walletKey(accountHash, derivationPath)
    return signedAs(signRequest({ kind: 'transaction', transaction }, { address, privateKey }))
  }

  /**
   * An owner may send over HTTP with every wallet. All other transactions need a group that has both the action and the
   * wallet, also those of runs that the account key has started.
   */
  #permittedWallet(context: SigningContext): RunWallet {
    const { pkpId, actionCid } = context
    const { mirror, keyLimits } = this.#options
    const principal = currentPrincipal(context, mirror.current())
    if (keyLimits.isExpired(principal))
      throw new PermissionRevokedError('the usage key that requested the transaction has expired')
    if (actionCid === SEND_TRANSACTION_CID && isOwner(principal)) return this.#ownWallet(context)
    const permission = permissionToRun(principal, actionCid)
    if (!permission || !walletForRun(principal, permission, pkpId).allowed)
      throw new PermissionRevokedError(
        `the key that requested the transaction is no longer allowed to use the wallet ${addressOfPkp(pkpId)} with the action ${actionCid}`,
      )
    return this.#ownWallet(context)
  }

  /** Returns the wallet if the account has it, and its key can be derived. */
  #ownWallet({ accountHash, pkpId, address }: SigningContext): RunWallet {
    const { keyring, mirror, policySigner } = this.#options
    const registered = mirror.current().account(accountHash)?.wallets.get(pkpId)
    const chainTime = () => policySigner.chainTime()
    const wallet = registered && derivedWallet(keyring, accountHash, registered, chainTime)
    if (wallet?.address.toLowerCase() === address) return wallet
    throw new PermissionRevokedError(`the account has no wallet ${addressOfPkp(pkpId)}`)
  }
}

function currentPrincipal(
  { accountHash, keyHash }: SigningContext,
  accounts: Pick<AccountsState, 'account' | 'principal'>,
): Principal {
  const account = accounts.account(accountHash)
  const isAdmin =
    account && !account.managed && accountHashOfWallet(account.adminWallet) === keyHash
  if (isAdmin) return { account, keyHash, wallet: account.adminWallet }
  const principal = accounts.principal(keyHash)
  if (principal?.account.hash === accountHash) return principal
  throw new PermissionRevokedError(
    'the API key or admin wallet that requested the transaction has been revoked or replaced',
  )
}

async function resultOf(sign: () => Promise<SignedTransaction>): Promise<SigningResult> {
  try {
    return { signed: await sign() }
  } catch (error) {
    if (error instanceof PermissionRevokedError)
      return { refused: { code: 'permission_revoked', message: error.message } }
    if (error instanceof SignatureDeniedError)
      return { refused: { code: 'policy_denied', message: error.message } }
    throw error
  }
}

/** Reads the transaction in the same form as requests for signatures. @throws {DeniedError} if it is malformed */
function parsed(transaction: UnsignedTransaction, { address }: SigningContext): Transaction {
  return readTransaction({ ...transaction, type: 2 }, address, 'strict')
}

function signedAs(raw: string, policy?: SignedTransaction['policy']): SignedTransaction {
  const hash = Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')
  return { hash: `0x${hash}`, raw, ...(policy && { policy }) }
}
