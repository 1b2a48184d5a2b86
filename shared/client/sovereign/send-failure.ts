import type { SvcError } from '../failures.ts'
import type { ContractCoding } from './contract-coding.ts'
import { isRefusedByOwner, notDoneIn, revertDataIn } from './refusals.ts'
import {
  InsufficientFunds,
  TransactionPending,
  TransactionReverted,
} from './transaction-failures.ts'
import { NoWallet, WalletFailed, WalletRefused } from './wallet-failures.ts'

/**
 * The transaction counts as unsent only if the wallet or its node reports this. Otherwise, a retry could execute the
 * call twice.
 */
export function sendFailure(
  error: unknown,
  {
    write,
    from,
    coding,
  }: { write: { what: string; usageApiKeyHash?: string }; from: string; coding: ContractCoding },
): SvcError {
  const { what, usageApiKeyHash } = write
  // Without the cause, because errors of ethers contain the signed transaction.
  if (isRefusedByOwner(error)) return new WalletRefused(what)
  const reason = notDoneIn(error)
  if (reason === undefined || MAY_BE_SENT.test(reason) || error instanceof NoWallet)
    return new TransactionPending(what, undefined, { usageApiKeyHash })
  const data = revertDataIn(error)
  const refusal = data === undefined ? undefined : coding.refusal(data)
  if (refusal) return new TransactionReverted(what, refusal)
  if (/insufficient (funds|balance)/i.test(reason)) return new InsufficientFunds(what, from)
  return new WalletFailed(what, reason)
}

/** Reports of a duplicate: a node may already have received the transaction. */
const MAY_BE_SENT = /already (known|imported)|known transaction|nonce (is )?too low/i
