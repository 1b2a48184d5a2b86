import type { Database } from '../db/open.ts'
import type { OriginLog } from '../log.ts'
import { findDifferences, sumLedger } from './ledger-differences.ts'

const LEDGER_START = { id: 0, cents: 0 }

/**
 * Audits the ledger and logs differences as `credits.books_differ`. Does not repair them: an operator must find out
 * which side is right, and an automatic correction would hide the damage.
 */
export class Audit {
  readonly #db: Database
  readonly #log: OriginLog
  /**
   * Sum of the ledger accounts that belong to no customer. Covers transfers up to an ID below which no more transfers
   * can appear.
   */
  #summed = LEDGER_START
  /**
   * Highest transfer ID at the last audit. IDs are assigned before commit, so transfers with lower IDs may have been
   * committed since then.
   */
  #seen = 0
  #isFirst = true
  /** Number of accounts with a difference at the last audit, plus one if the sum of all ledger accounts was not 0. */
  differences = 0

  constructor({ db, log }: { db: Database; log: OriginLog }) {
    this.#db = db
    this.#log = log
  }

  /**
   * Audits every account on the first run and whenever the ledger does not sum to 0. Otherwise, audits only the
   * accounts that may have changed since the audit before the last one.
   * @throws {Error} if the database fails
   */
  async run(): Promise<void> {
    const whole = await sumLedger(this.#db, this.#summed, this.#seen)
    const every = this.#isFirst || whole.sum !== 0
    const differing = await findDifferences(this.#db, every ? undefined : this.#summed.id)
    this.differences = differing.length + (whole.sum === 0 ? 0 : 1)
    for (const difference of differing) this.#log('credits.books_differ', difference)
    if (whole.sum !== 0) this.#log('credits.books_differ', { whole_cents: whole.sum })
    this.#isFirst = false
    // If the ledger does not sum to 0, the next audit reads the complete ledger again.
    this.#summed = whole.sum === 0 ? whole.next : LEDGER_START
    this.#seen = whole.sum === 0 ? whole.highest : 0
  }
}
