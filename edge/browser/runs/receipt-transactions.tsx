import type { Child, FC } from 'hono/jsx'
import type { ReceiptTransaction } from '../../../shared/receipts/receipt-transaction.ts'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import { STATE_NAMES } from '../../../shared/wire/transaction-words.ts'
import { FactList } from '../components/elements.tsx'
import { ExplorerId } from '../components/explorer-id.tsx'

type Props = { explorers: Explorers; transactions: readonly ReceiptTransaction[] }

/** Transactions as the receipt of a run describes them. The Worker renders them too. */
export const ReceiptTransactions: FC<Props> = ({ explorers, transactions }) => (
  <ul class="sent">
    {transactions.map(({ id, wallet, chain_id: chainId, state, hash }) => (
      <li>
        <FactList
          facts={[
            ['ID', <code>{id}</code>],
            ['State after the run', STATE_NAMES[state]],
            ['Chain ID', String(chainId)],
            ['Wallet', <ExplorerId {...{ explorers, chainId }} kind="address" id={wallet} />],
            ...(hash === undefined
              ? []
              : [
                  ['Hash', <ExplorerId {...{ explorers, chainId }} kind="tx" id={hash} />] as [
                    string,
                    Child,
                  ],
                ]),
          ]}
        />
      </li>
    ))}
  </ul>
)
