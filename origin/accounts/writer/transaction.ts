import { type SigningKey, Transaction } from 'ethers'
import type { Fees } from './fees.ts'

/** `value` is in wei. */
export type UnsignedCall = {
  to: string
  data: string
  value: bigint
  gasLimit: bigint
  chainId: bigint
}

export function signTransaction(
  key: SigningKey,
  { to, data, value, gasLimit, chainId }: UnsignedCall,
  nonce: number,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
): Transaction {
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const call = { to, data, value, gasLimit }
  const transaction = Transaction.from({ type: 2, chainId, nonce, ...call, ...fees })
  transaction.signature = key.sign(transaction.unsignedHash)
  return transaction
}

/** Nodes report such a rejection only in the message text, without an error code. */
export function isUnderpricedError(error: unknown): boolean {
  return /underpriced|(fee|gas price).*(less than|below|too low)/i.test(String(error))
}
