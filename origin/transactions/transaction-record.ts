import { getAddress } from 'ethers'
import type { TransactionFailureCode } from '../../shared/wire/transaction-states.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { transactionAttempts, transactions } from '../db/schema.ts'

export type TransactionRow = typeof transactions.$inferSelect
export type AttemptRow = typeof transactionAttempts.$inferSelect

/** @param attempts attempts of the transaction, oldest first */
export function recordOf(
  row: TransactionRow,
  attempts: readonly AttemptRow[],
  chain: string,
): TransactionRecord {
  return {
    id: row.id,
    state: row.state,
    waiting_for: row.endedAt === null ? row.waitingFor : null,
    waiting_message: row.endedAt === null ? row.waitingMessage : null,
    chain,
    chain_id: row.chainId,
    wallet_address: getAddress(row.address),
    pkp_id: row.pkpId,
    to: getAddress(row.to),
    data: row.data === '' ? null : row.data,
    value: String(row.value),
    gas: textOf(row.gasLimit),
    max_fee_per_gas: textOf(row.maxFeePerGas),
    speed: row.speed,
    nonce: row.nonce,
    attempts: attempts.map((attempt) => ({
      hash: attempt.hash,
      kind: attempt.kind,
      nonce: attempt.nonce,
      max_fee_per_gas: String(attempt.maxFeePerGas),
      max_priority_fee_per_gas: String(attempt.maxPriorityFeePerGas),
      created_at: attempt.createdAt.toISOString(),
    })),
    mined: minedOf(row),
    replaced_by: row.replacedBy,
    failure:
      row.failureCode === null
        ? null
        : {
            code: row.failureCode as TransactionFailureCode,
            message: row.failureMessage ?? '',
          },
    policy: row.policyHash === null ? null : { hash: row.policyHash, rule: row.policyRule ?? '' },
    action_cid: row.actionCid,
    run_id: row.runId,
    step: row.step,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  }
}

function minedOf(row: TransactionRow): TransactionRecord['mined'] {
  const { minedHash, minedBlock, minedBlockHash, gasUsed, effectiveGasPrice } = row
  if (minedHash === null || minedBlock === null || minedBlockHash === null) return null
  return {
    hash: minedHash,
    block_number: minedBlock,
    block_hash: minedBlockHash,
    gas_used: String(gasUsed ?? 0n),
    effective_gas_price: String(effectiveGasPrice ?? 0n),
  }
}

const textOf = (amount: bigint | null) => (amount === null ? null : String(amount))
