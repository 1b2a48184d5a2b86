/**
 * Attempts at one transaction: all of them have its nonce, so at most one of them can be mined. And transactions that
 * fill a gap below it.
 */
import type { Charge } from '../../shared/policies/charges.ts'
import type { Scope } from '../../shared/policies/scope.ts'
import { maxFee, type Transaction } from '../../shared/policies/transaction.ts'

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** Gas of a transaction without data. */
const CANCELLATION_GAS = 21_000n

/**
 * @throws {TypeError} unless both are EIP-1559 transactions that differ only in their fees, so that only one of them
 * can be mined, and with the same effect
 */
export function requireSameButFees(one: Transaction, other: Transaction): void {
  if (textOf(one) !== textOf(other))
    throw new TypeError('an attempt may differ from the one that it replaces only in its fees')
}

const textOf = (transaction: Transaction) =>
  JSON.stringify(
    { ...transaction, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
  )

/** Returns an empty transaction to the wallet itself. It moves nothing, and uses the nonce of the cancelled one. */
export function cancellationOf(cancelled: Transaction, wallet: string, fees: Fees): Transaction {
  const to = wallet.toLowerCase()
  const { chainId, nonce } = cancelled
  return { type: 2, chainId, nonce, to, value: 0n, data: '0x', gasLimit: CANCELLATION_GAS, ...fees }
}

/** Returns the cancelled transaction with a gas price at which it costs at least as much gas as its cancellation. */
export function costlierAs(cancelled: Transaction, cancellation: Transaction): Transaction {
  const { gasLimit } = cancelled
  const maxFeePerGas = (maxFee(cancellation) + gasLimit - 1n) / gasLimit
  return { ...cancelled, maxFeePerGas }
}

/**
 * Returns an empty transaction to the wallet itself that fills a gap between nonces.
 * @throws {TypeError} if the nonce is not below that of the transaction above the gap
 */
export function fillerOf(
  { above, nonce }: { above: Transaction; nonce: bigint },
  wallet: string,
  fees: Fees,
): Transaction {
  if (nonce >= above.nonce)
    throw new TypeError('a gap has a lower nonce than the transaction that waits for it')
  return cancellationOf({ ...above, nonce }, wallet, fees)
}

/** Reduces the charges of a transaction to what an empty one adds to the same sums: its fee, and one signature. */
export function emptyCharges(
  charges: readonly Charge[],
  empty: Transaction,
  { sums }: Scope,
): Charge[] {
  return charges.flatMap((charge) => {
    const { of } = sums.get(charge.sum)!
    if (of === 'signatures') return [charge]
    return of === 'native_spend' ? [{ ...charge, amount: maxFee(empty) }] : []
  })
}
