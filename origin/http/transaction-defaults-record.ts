import type { TransactionDefaultsRecord } from '../../shared/wire/transactions.ts'
import type { TransactionDefaults } from '../transactions/defaults.ts'
import type { TransactionChain } from '../transactions/types.ts'

export function toDefaultsRecord(
  { name, chainId }: TransactionChain,
  { maxFeePerGas, lowBalance }: TransactionDefaults,
): TransactionDefaultsRecord {
  return {
    chain: name,
    chain_id: chainId,
    max_fee_per_gas: maxFeePerGas?.toString() ?? null,
    low_balance: lowBalance?.toString() ?? null,
  }
}
