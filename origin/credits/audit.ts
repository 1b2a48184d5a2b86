import type { Database } from '../db/open.ts'
import type { Log } from '../log.ts'
import { type BooksDiffer, booksThatDiffer, sumOfBooks } from './books.ts'

/** Nothing is known of our own accounts of the books. */
const FROM_THE_BEGINNING = { id: 0, cents: 0 }

/**
 * Compares the rows of accounts with the ledger and the leases. A difference is logged, `credits.books_differ`, and
 * left alone: which of the two is right is for a person to find out, and a guess would hide the damage.
 */
export class Audit {
  readonly #db: Database
  readonly #log: Log
  /** Our own accounts, summed up to a transfer below which nothing is added any more. */
  #summed = FROM_THE_BEGINNING
  /** The highest id at the last audit. Ids are drawn before their transaction ends, so lower ones may have come since. */
  #seen = 0
  #isFirst = true
  /** Accounts that differed at the last audit, and one more where the whole did not sum up to 0. */
  differences = 0

  constructor({ db, log }: { db: Database; log: Log }) {
    this.#db = db
    this.#log = log
  }

  /**
   * Audits every account the first time, and whenever the whole does not sum up to 0; else those that may have changed
   * since the audit before the last.
   * @throws {Error} of the database
   */
  async run(): Promise<void> {
    const whole = await sumOfBooks(this.#db, this.#summed, this.#seen)
    const every = this.#isFirst || whole.sum !== 0
    const differing = await booksThatDiffer(this.#db, every ? undefined : this.#summed.id)
    this.differences = differing.length + (whole.sum === 0 ? 0 : 1)
    for (const books of differing) this.#log('credits.books_differ', factsOf(books))
    if (whole.sum !== 0) this.#log('credits.books_differ', { whole_cents: whole.sum })
    this.#isFirst = false
    // What does not add up is not carried on from: the next audit reads all of it again.
    this.#summed = whole.sum === 0 ? whole.next : FROM_THE_BEGINNING
    this.#seen = whole.sum === 0 ? whole.highest : 0
  }
}

function factsOf(books: BooksDiffer): Record<string, string | number> {
  return {
    account: books.accountHash,
    balance_cents: books.balanceCents,
    ledger_balance_cents: books.ledgerBalanceCents,
    debt_cents: books.debtCents,
    ledger_debt_cents: books.ledgerDebtCents,
    leased_cents: books.leasedCents,
    leases_cents: books.leasesCents,
  }
}
