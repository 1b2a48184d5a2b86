import { TRANSACTION_REQUESTS_PER_MINUTE } from '../../shared/limits.ts'
import { AccountRate } from '../admission/account-rate.ts'
import { databaseConnection } from '../env.ts'
import { listenFor } from '../db/notifications.ts'
import type { Database } from '../db/open.ts'
import type { OriginProcess, OriginServices } from '../services.ts'
import { AccountDefaults } from '../transactions/defaults.ts'
import { RunTransactionSigner } from '../transactions/signer.ts'
import { Transactions, TRANSACTIONS_CHANNEL } from '../transactions/transactions.ts'
import type { TransactionChains } from '../transactions/types.ts'

/** The caller must call `start` after the first heartbeat, because a process holds lanes only while its lease lasts. */
export function createTransactions(
  { settings, keyring, processId, predecessor, lifecycle, log, now, monotonic }: OriginProcess,
  db: Database,
  {
    chains,
    mirror,
    keyLimits,
    policySigner,
  }: Pick<OriginServices, 'mirror' | 'keyLimits' | 'policySigner'> & { chains: TransactionChains },
) {
  const transactions = new Transactions({
    db,
    chains,
    signer: new RunTransactionSigner({ keyring, mirror, keyLimits, policySigner }),
    idKey: keyring.transactionIdKey(),
    processId,
    predecessor,
    log,
    now,
    monotonic,
    listen: (notice) => listenFor(databaseConnection(settings), TRANSACTIONS_CHANNEL, notice),
  })
  const start = () => {
    transactions.start()
    lifecycle.onClose('transactions', () => transactions.close())
  }
  return {
    start,
    transactions,
    transactionChains: chains,
    transactionDefaults: new AccountDefaults({ db, now }),
    transactionRate: new AccountRate(TRANSACTION_REQUESTS_PER_MINUTE, now),
  }
}
