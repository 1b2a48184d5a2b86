import type { SvcError } from '../failures/svc-error.ts'
import type { ContractCodec } from './contract-codec.ts'
import { isUserRejection, notExecutedReason, revertDataOf } from './provider-errors.ts'
import {
  InsufficientFunds,
  TransactionPending,
  TransactionReverted,
} from './transaction-failures.ts'
import { NoWallet, WalletFailed, WalletRefused } from './wallet-failures.ts'

/**
 * Returns the error for a failed send. The transaction counts as unsent only if the wallet or its node reports this.
 * Otherwise, a retry could execute the call twice.
 */
export function sendFailure(
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
