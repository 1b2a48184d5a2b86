import type { Database } from '../../../../origin/db/open.ts'
import { listenFor } from '../../../../origin/db/notifications.ts'
import { Transactions, TRANSACTIONS_CHANNEL } from '../../../../origin/transactions/transactions.ts'
import type { TransactionChains, TransactionSigner } from '../../../../origin/transactions/types.ts'

/** The same in all processes. */
const ID_KEY = new Uint8Array(32).fill(7)

export type StartOptions = {
  db: Database
  /** Without it, no notifications arrive. */
  databaseUrl?: string | undefined
  processId: string
  predecessor?: string | undefined
  chains: TransactionChains
  signer: TransactionSigner
  log: (event: string, facts?: object) => void
  now?: () => number
  monotonic?: () => number
}

/** Creates the service as an origin does. */
export function createTransactions({
  databaseUrl,
  now = Date.now,
  monotonic = () => performance.now(),
  ...options
}: StartOptions): Transactions {
  return new Transactions({
    ...options,
    idKey: ID_KEY,
    now,
    monotonic,
    ...(databaseUrl !== undefined && {
      listen: (onNotification) =>
        listenFor({ url: databaseUrl }, TRANSACTIONS_CHANNEL, onNotification),
    }),
  })
}

/** The process must have sent a heartbeat. */
export function startTransactions(options: StartOptions): Transactions {
  const transactions = createTransactions(options)
  transactions.start()
  return transactions
}
