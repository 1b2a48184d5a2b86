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
 * A wallet did not say that it has sent a transaction. Only where it, or its node, says that nothing was done is that
 * believed: whoever makes the call again on a guess makes it twice.
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
  // Without its cause: errors of ethers have the signed transaction in them.
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

/** Said of one that came twice: its first sending was heard. */
const MAY_BE_SENT = /already (known|imported)|known transaction|nonce (is )?too low/i
