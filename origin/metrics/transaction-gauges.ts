import type { Registry } from 'prom-client'
import { WAITING_REASONS } from '../../shared/wire/transaction-states.ts'
import type { ChainNodes } from '../accounts/nodes/chain-nodes.ts'
import type { ChainTransactions } from '../transactions/types.ts'
import { collectGauge } from './collected.ts'
import { registerNodeMetrics } from './node-metrics.ts'

/** Read from memory at each scrape. Chains without transactions may be left out. */
export type TransactionsStatus = { status(): readonly ChainTransactions[] }

export type TransactionSources = {
  now: () => number
  chains: { all(): readonly { name: string; chainId: number; nodes: Pick<ChainNodes, 'status'> }[] }
  /** Undefined if this process sends no transactions. */
  transactions: TransactionsStatus | undefined
}

export function registerTransactionGauges(
  registry: Registry,
  { now, chains, transactions }: TransactionSources,
): void {
  const eachChain = <T>(read: (chain: string, status: ChainTransactions | undefined) => T[]) => {
    const statuses = new Map(transactions?.status().map((status) => [status.chainId, status]))
    return chains.all().flatMap(({ name, chainId }) => read(name, statuses.get(chainId)))
  }
  collectGauge(
    registry,
    {
      name: 'svc_transactions_open',
      help: 'Transactions of wallets that have not ended.',
      labelNames: ['chain'],
    },
    () => eachChain((chain, status) => [[{ chain }, status?.open ?? 0] as const]),
  )
  collectGauge(
    registry,
    {
      name: 'svc_transactions_oldest_unmined_seconds',
      help: 'Time since the oldest unmined transaction was signed, or created if it is not signed; 0 without one.',
      labelNames: ['chain', 'reason'],
    },
    () =>
      eachChain((chain, status) =>
        [null, ...WAITING_REASONS].map((reason) => {
          const since = status?.oldestUnmined.get(reason)
          const age = since === undefined ? 0 : Math.max(0, (now() - since) / 1000)
          return [{ chain, reason: reason ?? 'none' }, age] as const
        }),
      ),
  )
  collectGauge(
    registry,
    {
      name: 'svc_transactions_low_balance_wallets',
      help: 'Wallets with open transactions whose balance is below the threshold of their account.',
      labelNames: ['chain'],
    },
    () => eachChain((chain, status) => [[{ chain }, status?.lowBalanceWallets ?? 0] as const]),
  )
  registerNodeMetrics(registry, 'svc_transactions_node', 'chains of transactions', ['chain'], () =>
    chains.all().map(({ name, nodes }) => ({ labels: { chain: name }, nodes: nodes.status() })),
  )
}
