import type { TransactionReceipt } from 'ethers'
import { and, eq, gte, lt, ne } from 'drizzle-orm'
import { CHAIN_WRITE_RETENTION_MS } from '../../../shared/limits.ts'
import { deleteInBatches } from '../../db/delete-in-batches.ts'
import type { Database } from '../../db/open.ts'
import { chainWrites, payers } from '../../db/schema.ts'
import { fromDatabase } from '../../db/database-unavailable.ts'
import { appendEntry } from '../../audit-log/append-entry.ts'
import type { AuditContext } from '../../audit-log/context.ts'
import { writeEntry } from '../../audit-log/write-entry.ts'
import { isPayerHeldBy } from './payer-leases.ts'

export type WriteRow = typeof chainWrites.$inferSelect
export type NewWrite = Pick<
  WriteRow,
  'writeId' | 'functionName' | 'payer' | 'nonce' | 'transactions'
> & { audit?: AuditContext | undefined }

type MinedWrite = { minedHash: string; minedBlock: number }

/** Receipt of a write, from which its entry in the audit log is made. */
export type WriteReceipt = Pick<TransactionReceipt, 'hash' | 'blockNumber' | 'status' | 'logs'>

type WriteOutboxOptions = { db: Database; processId: string; now: () => number }

/**
 * Transactional outbox of contract writes. A transaction is sent to a node only after its row has been committed, and
 * only the process that holds the payer can insert the row.
 */
export class WriteOutbox {
  readonly #options: WriteOutboxOptions

  constructor(options: WriteOutboxOptions) {
    this.#options = options
  }

  /**
   * @returns `known` if the write ID is already recorded, or `lease_lost` if another process holds the payer; nothing
   * was recorded in either case
   */
  async record(write: NewWrite): Promise<'recorded' | 'known' | 'lease_lost'> {
    const { db, processId, now } = this.#options
    return db.transaction(async (tx) => {
      const held = await tx.select().from(payers).where(this.#isHeld(write.payer)).for('share')
      if (held.length === 0) return 'lease_lost' as const
      const inserted = await tx
        .insert(chainWrites)
        .values({ ...write, state: 'sent', processId, createdAt: new Date(now()) })
        .onConflictDoNothing()
        .returning({ writeId: chainWrites.writeId })
      return inserted.length === 1 ? ('recorded' as const) : ('known' as const)
    })
  }

  /** @returns false if this process does not hold the payer's lease, and therefore must not sign the transaction */
  async recordReplacement({
    writeId,
    payer,
    nonce,
    transactions,
  }: Omit<NewWrite, 'audit'>): Promise<boolean> {
    return this.#options.db.transaction(async (tx) => {
      const held = await tx.select().from(payers).where(this.#isHeld(payer)).for('share')
      if (held.length === 0) return false
      await tx
        .update(chainWrites)
        .set({ nonce, transactions })
        .where(eq(chainWrites.writeId, writeId))
      return true
    })
  }

  async find(writeId: string): Promise<WriteRow | undefined> {
    const { db } = this.#options
    const query = db.select().from(chainWrites).where(eq(chainWrites.writeId, writeId))
    return (await fromDatabase(query))[0]
  }

  async unsettled(payer: number): Promise<WriteRow[]> {
    return this.#options.db
      .select()
      .from(chainWrites)
      .where(and(eq(chainWrites.payer, payer), ne(chainWrites.state, 'final')))
  }

  async payersWithUnsettled(): Promise<number[]> {
    const rows = await this.#options.db
      .selectDistinct({ payer: chainWrites.payer })
      .from(chainWrites)
      .where(ne(chainWrites.state, 'final'))
    return rows.map(({ payer }) => payer)
  }

  /** Appends the write's entry to the audit log in the same transaction. */
  async markMined(writeId: string, receipt: WriteReceipt): Promise<void> {
    await this.#updateAndLog(writeId, { state: 'mined', ...minedBy(receipt) }, receipt)
  }

  async markUnmined(writeId: string): Promise<void> {
    await this.#update(writeId, { state: 'sent', minedHash: null, minedBlock: null })
  }

  /**
   * Marks a write as final. Also sets its block and appends its entry, because the update by `markMined` may still be
   * pending and is ignored once the write is final.
   */
  async markFinal(writeId: string, receipt: WriteReceipt): Promise<void> {
    const endedAt = new Date(this.#options.now())
    await this.#updateAndLog(writeId, { state: 'final', endedAt, ...minedBy(receipt) }, receipt)
  }

  /**
   * Reopens final writes with this nonce or a higher one, after the chain has lost them.
   * @returns the writes to send again
   */
  async reopenFinal(payer: number, nonce: number): Promise<WriteRow[]> {
    return this.#options.db
      .update(chainWrites)
      .set({ state: 'sent', minedHash: null, minedBlock: null, endedAt: null })
      .where(
        and(
          eq(chainWrites.payer, payer),
          gte(chainWrites.nonce, nonce),
          eq(chainWrites.state, 'final'),
        ),
      )
      .returning()
  }

  async deleteExpired(): Promise<void> {
    const { db, now } = this.#options
    await deleteInBatches(
      db,
      chainWrites,
      lt(chainWrites.endedAt, new Date(now() - CHAIN_WRITE_RETENTION_MS)),
    )
  }

  async #update(writeId: string, values: Partial<WriteRow>): Promise<void> {
    await this.#options.db.update(chainWrites).set(values).where(isNotFinal(writeId))
  }

  async #updateAndLog(
    writeId: string,
    values: Partial<WriteRow>,
    receipt: WriteReceipt,
  ): Promise<void> {
    const { db, now } = this.#options
    await db.transaction(async (tx) => {
      const [row] = await tx
        .update(chainWrites)
        .set(values)
        .where(isNotFinal(writeId))
        .returning({ functionName: chainWrites.functionName, audit: chainWrites.audit })
      if (row?.audit)
        await appendEntry(
          tx,
          writeEntry({ writeId, ...row, audit: row.audit }, receipt),
          new Date(now()),
        )
    })
  }

  #isHeld(payer: number) {
    return and(eq(payers.number, payer), isPayerHeldBy(this.#options.processId))
  }
}

const isNotFinal = (writeId: string) =>
  and(eq(chainWrites.writeId, writeId), ne(chainWrites.state, 'final'))

function minedBy({ hash, blockNumber }: WriteReceipt): MinedWrite {
  return { minedHash: hash, minedBlock: blockNumber }
}
