import { and, eq } from 'drizzle-orm'
import { appendEntry, type ChangeAudit } from '../audit-log/append-entry.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { transactionDefaults, transactionLanes } from '../db/schema.ts'

/** Amounts in wei. An absent amount means no limit. */
export type TransactionDefaults = {
  /** Highest fee for a unit of gas. A transaction with a higher limit of its own is still bound by this one. */
  maxFeePerGas?: bigint
  /** Balance below which a wallet counts as low. */
  lowBalance?: bigint
}

export type WalletBalance = Pick<TransactionDefaults, 'lowBalance'> & {
  chainId: number
  balance: bigint
  readAt: Date
}

/** Defaults of accounts for transactions, by chain. Not cached, so that a change applies in every process at once. */
export class AccountDefaults {
  readonly #db: Database
  readonly #now: () => number

  constructor({ db, now }: { db: Database; now: () => number }) {
    this.#db = db
    this.#now = now
  }

  /**
   * @param accountHash master hash of the account
   * @throws {DatabaseUnavailableError}
   */
  async defaultsOf(accountHash: string, chainId: number): Promise<TransactionDefaults> {
    const query = this.#db.select().from(transactionDefaults).where(isFor(accountHash, chainId))
    const [row] = await fromDatabase(query)
    return row ? toDefaults(row) : {}
  }

  /**
   * Returns the defaults of an account by chain ID. Chains without defaults are omitted.
   * @throws {DatabaseUnavailableError}
   */
  async byChain(accountHash: string): Promise<Map<number, TransactionDefaults>> {
    const isOwn = eq(transactionDefaults.accountHash, accountHash)
    const rows = await fromDatabase(this.#db.select().from(transactionDefaults).where(isOwn))
    return new Map(rows.map((row) => [row.chainId, toDefaults(row)]))
  }

  /**
   * Returns the balances of a wallet on the chains on which it has sent transactions, as they were last read.
   * @param address of the wallet, in lower-case 0x hex
   * @throws {DatabaseUnavailableError}
   */
  async balances(accountHash: string, address: string): Promise<WalletBalance[]> {
    const { chainId, balance, checkedAt } = transactionLanes
    const { lowBalance } = transactionDefaults
    const ofChain = and(
      eq(transactionDefaults.accountHash, accountHash),
      eq(transactionDefaults.chainId, chainId),
    )
    const rows = await fromDatabase(
      this.#db
        .select({ chainId, balance, checkedAt, lowBalance })
        .from(transactionLanes)
        .leftJoin(transactionDefaults, ofChain)
        .where(eq(transactionLanes.address, address)),
    )
    return rows.flatMap((row) =>
      row.balance === null || row.checkedAt === null
        ? []
        : [
            {
              chainId: row.chainId,
              balance: row.balance,
              readAt: row.checkedAt,
              ...(row.lowBalance !== null && { lowBalance: row.lowBalance }),
            },
          ],
    )
  }

  /**
   * Replaces the defaults of an account on a chain.
   * @param audit appends an entry to the account's audit log in the same transaction
   * @throws {DatabaseUnavailableError}
   */
  async set(
    accountHash: string,
    chainId: number,
    defaults: TransactionDefaults,
    audit?: ChangeAudit,
  ): Promise<void> {
    const { maxFeePerGas = null, lowBalance = null } = defaults
    const updatedAt = new Date(this.#now())
    const amounts = { maxFeePerGas, lowBalance, updatedAt }
    const details = {
      chain_id: chainId,
      max_fee_per_gas: maxFeePerGas === null ? null : String(maxFeePerGas),
      low_balance: lowBalance === null ? null : String(lowBalance),
    }
    const change = this.#db.transaction(async (tx) => {
      await tx
        .insert(transactionDefaults)
        .values({ accountHash, chainId, ...amounts })
        .onConflictDoUpdate({
          target: [transactionDefaults.accountHash, transactionDefaults.chainId],
          set: amounts,
        })
      const entry = { outcome: 'done', subject: {}, details } as const
      if (audit) await appendEntry(tx, { ...audit, ...entry }, updatedAt)
    })
    await fromDatabase(change)
  }
}

const isFor = (accountHash: string, chainId: number) =>
  and(eq(transactionDefaults.accountHash, accountHash), eq(transactionDefaults.chainId, chainId))

function toDefaults({
  maxFeePerGas,
  lowBalance,
}: Pick<typeof transactionDefaults.$inferSelect, 'maxFeePerGas' | 'lowBalance'>) {
  return {
    ...(maxFeePerGas !== null && { maxFeePerGas }),
    ...(lowBalance !== null && { lowBalance }),
  }
}
