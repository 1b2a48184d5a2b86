/**
 * Decides which keys may send transactions, and which transactions they see. The right of a usage key is the permission
 * to run the built-in action (docs/decisions/0117-right-to-send-transactions.md).
 */
import { SEND_TRANSACTION_CID } from '../../shared/wire/send-transaction-action.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { Principal } from '../accounts/account.ts'
import { WalletNotFoundError } from '../accounts/account-lookups.ts'
import { permissionToRun, walletForRun } from '../accounts/permissions.ts'
import { isOwner } from '../accounts/rights.ts'
import type { TransactionService } from './types.ts'

/** Thrown if a usage key may not send transactions with a wallet outside of a run. */
export class SendNotPermittedError extends Error {
  override readonly name = 'SendNotPermittedError'
  /** `action`: no group of the key permits the built-in action. `wallet`: none of those groups permits the wallet. */
  readonly missing: 'action' | 'wallet'
  readonly pkpId: string
  /** Groups that lack what is missing. Empty if the key may execute in all groups, or in none. */
  readonly groups: readonly number[]

  constructor(missing: 'action' | 'wallet', pkpId: string, groups: readonly number[]) {
    super('the key is not allowed to send transactions with the wallet')
    this.missing = missing
    this.pkpId = pkpId
    this.groups = groups
  }
}

/** The account has no transaction with this ID, or it is hidden from the key. */
export class TransactionNotFoundError extends Error {
  override readonly name = 'TransactionNotFoundError'
  readonly id: string

  constructor(id: string) {
    super('no such transaction')
    this.id = id
  }
}

/**
 * The owner may send with every wallet of the account.
 * @throws {SendNotPermittedError | WalletNotFoundError}
 */
export function requireMaySend(principal: Principal, pkpId: string): void {
  const { account, usageKey } = principal
  if (isOwner(principal)) {
    if (!account.wallets.has(pkpId)) throw new WalletNotFoundError(account.hash, pkpId)
    return
  }
  const permission = permissionToRun(principal, SEND_TRANSACTION_CID)
  if (!permission || permission.groups.length === 0) {
    const groups = [...(usageKey?.executeInGroups ?? [])].filter((id) => account.groups.has(id))
    throw new SendNotPermittedError('action', pkpId, groups)
  }
  const decision = walletForRun(principal, permission, pkpId)
  if (decision.allowed) return
  if (decision.reason === 'not_registered') throw new WalletNotFoundError(account.hash, pkpId)
  throw new SendNotPermittedError(
    'wallet',
    pkpId,
    permission.groups.map(({ id }) => id),
  )
}

/** Filter for the transactions that a key may see: the owner sees all, a usage key those that it requested. */
export function visibleTo(principal: Principal): { keyHash?: string } {
  return isOwner(principal) ? {} : { keyHash: principal.keyHash }
}

/** @throws {TransactionNotFoundError} also if the transaction exists, but the key may not see it */
export async function requireTransaction(
  principal: Principal,
  id: string,
  transactions: Pick<TransactionService, 'list'>,
): Promise<TransactionRecord> {
  const filter = { id, ...visibleTo(principal) }
  const { records } = await transactions.list(principal.account.hash, filter, ONE)
  return found(records[0], id)
}

const ONE = { offset: 0, limit: 1 }

/** @throws {TransactionNotFoundError} */
export function found(record: TransactionRecord | undefined, id: string): TransactionRecord {
  if (record) return record
  throw new TransactionNotFoundError(id)
}
