import { explorerUrl } from '../../wire/public-chains.ts'
import { explainTransaction } from '../../wire/transaction-words.ts'
import type {
  ListedTransaction,
  TransactionDefaultsRecord,
  TransactionRecord,
} from '../../wire/transactions.ts'
import { brief, columns, facts, formatUtcTime, LINE_CHARACTERS } from '../commands/columns.ts'
import { amountText } from './amounts.ts'

export function transactionLines(record: TransactionRecord): string[] {
  const { mined, policy, attempts, max_fee_per_gas } = record
  const rows = attempts.map(({ hash, kind, nonce, max_fee_per_gas: fee, created_at }) => [
    kind.replace('_', ' '),
    `nonce ${nonce}`,
    `at most ${amountText(fee)} per gas`,
    formatUtcTime(created_at),
    hash,
  ])
  return [
    ...facts({
      id: record.id,
      state: record.state,
      details: explainTransaction(record),
      chain: `${record.chain} (${record.chain_id})`,
      from: record.wallet_address,
      to: record.to,
      value: amountText(record.value),
      data: record.data === '0x' ? undefined : brief(record.data ?? 'removed', LINE_CHARACTERS),
      gas: record.gas ?? undefined,
      'max fee': max_fee_per_gas === null ? undefined : `${amountText(max_fee_per_gas)} per gas`,
      speed: record.speed,
      policy: policy ? `${policy.rule}, of ${policy.hash}` : undefined,
      action: record.action_cid ?? undefined,
      run: record.run_id === null ? undefined : `${record.run_id}, step ${record.step}`,
      created: formatUtcTime(record.created_at),
      paid: mined ? `${mined.gas_used} gas at ${amountText(mined.effective_gas_price)}` : undefined,
      hash: mined?.hash,
      explorer: mined ? explorerUrl(record.chain_id, 'tx', mined.hash) : undefined,
      'replaced by': record.replaced_by ?? undefined,
      ended: record.ended_at === null ? undefined : formatUtcTime(record.ended_at),
    }),
    ...(rows.length === 0 ? [] : ['', 'Signed:', ...columns(rows)]),
  ]
}

export function transactionListLines(records: readonly ListedTransaction[]): string[] {
  return columns(
    records.map((record) => [
      formatUtcTime(record.created_at),
      record.id,
      stateText(record),
      record.chain,
      amountText(record.value),
      `${record.to.slice(0, 6)}…${record.to.slice(-4)}`,
    ]),
  )
}

export function defaultsLines(records: readonly TransactionDefaultsRecord[]): string[] {
  return columns(
    records.map(({ chain, max_fee_per_gas: fee, low_balance: balance }) => [
      chain,
      fee === null ? 'no highest fee' : `at most ${amountText(fee)} per gas`,
      balance === null ? 'no low balance' : `low below ${amountText(balance)}`,
    ]),
  )
}

function stateText({ state, waiting_for }: ListedTransaction): string {
  return waiting_for === null ? state : `${state}, waiting for ${waiting_for}`
}
