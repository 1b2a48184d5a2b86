import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import type { ListedTransaction, TransactionBalance } from '../../../shared/wire/transactions.ts'
import type { Perform } from '../console/view.ts'
import { lowBalanceChains } from './low-balance.ts'
import type { TransactionOperations } from './operations.ts'
import { ReadFailure } from './read-failure.tsx'
import { readFirst } from './read-first.ts'
import { TransactionButtons } from './transaction-buttons.tsx'
import { TransactionItem } from './transaction-item.tsx'
import { useTransactions } from './use-transactions.ts'
import { Updates } from './updates.tsx'
import { WalletBalances } from './wallet-balances.tsx'

export type WalletTransactionsProps = {
  explorers: Explorers
  operations: TransactionOperations
  wallet: { pkp_id: string; wallet_address: string }
  perform: Perform
  /** False if the admin wallet must sign each request. The list is then updated only on demand. */
  isLive: boolean
}

const PAGE_LENGTH = 20

export const WalletTransactions: FC<WalletTransactionsProps> = (props) => {
  const { explorers, operations, wallet, perform, isLive } = props
  const [length, setLength] = useState(PAGE_LENGTH)
  const [balances, setBalances] = useState<readonly TransactionBalance[]>([])
  const { pkp_id, wallet_address } = wallet
  const { transactions, failure, news, trouble, refresh } = useTransactions({
    read: async () => {
      // One after the other, so that an admin wallet signs only one proof.
      setBalances(await operations.balances({ pkp_id }))
      // One more, to know whether there are older ones.
      return readFirst(operations, { pkp_id }, length + 1)
    },
    isOver: () => !isLive,
  })
  const change = async (what: string, work: () => Promise<unknown>) => {
    await perform(what, work)
    refresh()
  }
  const cancel = ({ id }: ListedTransaction) =>
    void change('Request the cancellation', () => operations.cancel(id))
  const speedUp = ({ id }: ListedTransaction, max_fee_per_gas: string | undefined) =>
    void change('Speed up the transaction', () =>
      operations.speedUp(id, { ...(max_fee_per_gas && { max_fee_per_gas }) }),
    )
  return (
    <div class="transactions">
      <Updates {...{ news, trouble }} />
      {failure ? (
        <ReadFailure failure={failure} retry={refresh} />
      ) : !transactions ? (
        <p class="note">Loading the transactions…</p>
      ) : (
        <>
          <WalletBalances
            address={wallet_address}
            balances={balances}
            low={lowBalanceChains(balances, transactions)}
          />
          {transactions.length === 0 && <p class="note">No transactions yet.</p>}
          <ol>
            {transactions.slice(0, length).map((transaction) => (
              <TransactionItem key={transaction.id} explorers={explorers} transaction={transaction}>
                <TransactionButtons
                  transaction={transaction}
                  cancel={() => cancel(transaction)}
                  speedUp={(maxFee) => speedUp(transaction, maxFee)}
                />
              </TransactionItem>
            ))}
          </ol>
          <div class="actions">
            {transactions.length > length && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  setLength(length + PAGE_LENGTH)
                  refresh()
                }}
              >
                Show older transactions
              </button>
            )}
            {!isLive && (
              <button type="button" class="quiet" onClick={refresh}>
                Refresh
              </button>
            )}
          </div>
        </>
      )}
    </div>
  )
}
