import { Violation } from './trace.ts'

/** Prepared once per database, because planning takes longer than execution. */
export const AUDIT = `prepare audit(text) as select a.account_hash, a.balance_cents, a.leased_cents, a.debt_cents,
      (select coalesce(sum(l.cents), 0) from credit_leases l where l.account_hash = a.account_hash),
      (select coalesce(string_agg(l.process_id || '=' || l.cents, ' ' order by l.id), '') from credit_leases l where l.account_hash = a.account_hash),
      t.credits, t.debt, t.total, (select coalesce(sum(u.cents), 0) from usage_days u where u.account_hash = a.account_hash), t.charged
      from credit_accounts a left join lateral (select
        coalesce(sum(case when to_account = 'credits:' || a.account_hash then cents when from_account = 'credits:' || a.account_hash then -cents else 0 end), 0) as credits,
        coalesce(sum(case when to_account = 'debt:' || a.account_hash then cents when from_account = 'debt:' || a.account_hash then -cents else 0 end), 0) as debt,
        coalesce(sum(case when to_account = 'credits:' || a.account_hash or to_account = 'debt:' || a.account_hash or to_account in ('revenue', 'processor', 'starter') then cents else 0 end
          - case when from_account = 'credits:' || a.account_hash or from_account = 'debt:' || a.account_hash or from_account in ('revenue', 'processor', 'starter') then cents else 0 end), 0) as total,
        coalesce(sum(case when kind in ('write', 'execution') then cents else 0 end), 0) as charged
        from ledger_transfers where account_hash = a.account_hash) t on true
      where a.account_hash between $1 and $1 || '~' order by a.account_hash`

export const auditOf = (prefix: string) => `execute audit('${prefix}')`

/** State of one account in the database. */
type Account = { balance: number; leased: number; debt: number; held: Map<string, number> }

/** The books of a simulation's accounts, checked after every commit. */
export class Books {
  readonly #accounts = new Map<string, Account>()
  readonly #prefix: string
  readonly #isLive: (processId: string) => boolean
  /** Called with the number of cents that became available. */
  readonly #onFree: (account: string, cents: number) => void

  /** @param prefix start of all account hashes */
  constructor(
    prefix: string,
    isLive: (processId: string) => boolean,
    onFree: (account: string, cents: number) => void,
  ) {
    this.#prefix = prefix
    this.#isLive = isLive
    this.#onFree = onFree
  }

  look(rows: unknown[][]): void {
    for (const [hash, balanceCents, leasedCents, debtCents, leaseCents, list, ...values] of rows) {
      const sums = [balanceCents, leasedCents, debtCents, leaseCents, ...values].map(Number)
      const [balance = 0, leased = 0, debt = 0, inLeases = 0] = sums
      const [credits = 0, debts = 0, total = 0, used = 0, charged = 0] = sums.slice(4)
      const name = String(hash).slice(this.#prefix.length)
      const must = (holds: boolean, what: string) => {
        if (!holds)
          throw new Violation(
            `account ${name}: ${what} (${JSON.stringify({ balance, leased, debt, inLeases, credits, debts, total, used, charged })})`,
          )
      }
      must(total === 0, 'the sum over all books is not zero')
      must(balance >= 0 && leased >= 0 && debt >= 0, 'something is negative')
      must(balance >= leased, 'more is leased than there is')
      must(balance === credits, 'the balance is not the sum of the transfers')
      must(debt === -debts, 'the debt is not the sum of the transfers')
      must(leased === inLeases, 'what is leased is not the sum of the leases')
      must(used === charged, 'the usage of the days is not the sum of the charges')
      const before = this.#accounts.get(name)
      must(debt === 0 || balance === leased, 'there is debt, and credit that could pay it')
      if (before && before.debt > 0 && debt > 0)
        must(leased <= before.leased, 'credit is leased while there is debt')
      const held = new Map<string, number>()
      for (const lease of String(list).split(' ').filter(Boolean)) {
        const [id = '', cents] = lease.split('=')
        held.set(id, (held.get(id) ?? 0) + Number(cents))
      }
      const given = Math.max(0, balance - debt - (before ? before.balance - before.debt : 0))
      this.#onFree(name, given + this.#ofDead(before?.held, held))
      this.#accounts.set(name, { balance, leased, debt, held })
    }
  }

  /** Returns the cents that leases of dead processes have released. */
  #ofDead(before: Map<string, number> | undefined, now: Map<string, number>): number {
    let freed = 0
    for (const [id, cents] of before ?? [])
      if (!this.#isLive(id)) freed += Math.max(0, cents - (now.get(id) ?? 0))
    return freed
  }

  knows(name: string): boolean {
    return this.#accounts.has(name)
  }

  of(name: string): Account {
    return this.#accounts.get(name) ?? { balance: 0, leased: 0, debt: 0, held: new Map() }
  }
}
