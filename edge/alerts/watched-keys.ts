import type { KeyState, PaymentProblem } from '../../shared/wire/sealed-key-states.ts'

type NamedTrigger = { id: string; name: string }
export type CheckedKey = { trigger: NamedTrigger; state: KeyState | null }
/** Triggers with the same usage key or account, and its hash. */
type Sharing = { hash: string; triggers: [NamedTrigger, ...NamedTrigger[]] }
export type ExpiringKey = Sharing & { expiresAt: number }
export type LowAccount = Sharing & { balanceCents: number }
export type UnpaidAccount = Sharing & { problem: PaymentProblem }

type SharedRow<Value> = { id: string; name: string; shared: string; value: Value }

type Pass = {
  startedAt: number
  /** Start of the last pass that reads all keys. */
  fullAt: number
  isFinished: boolean
  withBalances: boolean
  nextAt: number
}

/** Stored state of the usage keys of a user's triggers, and the progress of the checks. */
export class WatchedKeys {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the pass in progress or the last one; undefined before the first one. */
  pass(): Pass | undefined {
    const [row] = this.#sql
      .exec<{
        started_at: number
        full_at: number
        is_finished: number
        with_balances: number
        next_at: number
      }>('SELECT started_at, full_at, is_finished, with_balances, next_at FROM key_checks')
      .toArray()
    return (
      row && {
        startedAt: row.started_at,
        fullAt: row.full_at,
        isFinished: row.is_finished === 1,
        withBalances: row.with_balances === 1,
        nextAt: row.next_at,
      }
    )
  }

  setPass({ startedAt, fullAt, isFinished, withBalances, nextAt }: Pass): void {
    this.#sql.exec(
      `INSERT INTO key_checks (id, started_at, is_finished, with_balances, next_at, full_at)
       VALUES (1, ?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET started_at = ?1, is_finished = ?2, with_balances = ?3, next_at = ?4, full_at = ?5`,
      startedAt,
      Number(isFinished),
      Number(withBalances),
      nextAt,
      fullAt,
    )
  }

  add(checked: readonly CheckedKey[], now: number): void {
    for (const { trigger, state } of checked)
      this.#sql.exec(
        `INSERT INTO watched_keys (trigger_id, trigger_name, key_hash, expires_at, account_hash, balance_cents,
           payment_problem, checked_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET trigger_name = excluded.trigger_name, key_hash = excluded.key_hash,
           expires_at = excluded.expires_at, account_hash = excluded.account_hash,
           balance_cents = excluded.balance_cents, payment_problem = excluded.payment_problem,
           checked_at = excluded.checked_at`,
        trigger.id,
        trigger.name,
        state?.key_hash ?? null,
        state?.expires_at ?? null,
        state?.account_hash ?? null,
        state?.balance_cents ?? null,
        state?.payment_problem ?? null,
        now,
      )
  }

  /** Returns the IDs of triggers that were checked at this time or later. */
  checkedSince(time: number): Set<string> {
    const query = 'SELECT trigger_id AS id FROM watched_keys WHERE checked_at >= ?'
    return new Set(
      this.#sql
        .exec<{ id: string }>(query, time)
        .toArray()
        .map(({ id }) => id),
    )
  }

  /**
   * Returns the triggers to check in a pass that started at this time and reads one key of each account: one
   * trigger of each account that was not checked yet, and all triggers whose account is unknown because they are new.
   */
  oneOfEachAccount(triggers: readonly NamedTrigger[], startedAt: number): NamedTrigger[] {
    const rows = this.#sql
      .exec<{ id: string; account: string | null; checked: number }>(
        'SELECT trigger_id AS id, account_hash AS account, checked_at >= ? AS checked FROM watched_keys',
        startedAt,
      )
      .toArray()
    const known = new Map(rows.map(({ id, account }) => [id, account]))
    const covered = new Set(rows.filter(({ checked }) => checked).map(({ account }) => account))
    covered.add(null)
    return triggers.filter(({ id }) => {
      const account = known.get(id)
      if (account === undefined) return true
      if (covered.has(account)) return false
      covered.add(account)
      return true
    })
  }

  /** Forgets all triggers except these. */
  keepOnly(triggers: readonly NamedTrigger[]): void {
    const ids = JSON.stringify(triggers.map(({ id }) => id))
    this.#sql.exec(
      'DELETE FROM watched_keys WHERE trigger_id NOT IN (SELECT value FROM json_each(?))',
      ids,
    )
  }

  forgetCheckedBefore(time: number): void {
    this.#sql.exec('DELETE FROM watched_keys WHERE checked_at < ?', time)
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM watched_keys WHERE trigger_id = ?', triggerId)
  }

  /** Deletes what is known about the keys. The next check starts at once. */
  clear(): void {
    this.#sql.exec('DELETE FROM watched_keys')
    this.#sql.exec(
      'UPDATE key_checks SET started_at = 0, full_at = 0, is_finished = 1, next_at = 0',
    )
  }

  /** Lets all triggers be checked in the pass that starts at this time, also after the clock was set back. */
  startPass(time: number): void {
    this.#sql.exec('UPDATE watched_keys SET checked_at = ?1 - 1 WHERE checked_at >= ?1', time)
  }

  triggerWithKey(keyHash: string): NamedTrigger | undefined {
    return this.#triggerWhere('key_hash = ?', keyHash)
  }

  triggerOfAccount(accountHash: string): NamedTrigger | undefined {
    return this.#triggerWhere('account_hash = ?', accountHash)
  }

  /** Returns the keys that expire by this time, each with its triggers. */
  expiringBy(time: number): ExpiringKey[] {
    const rows = this.#sql
      .exec<SharedRow<number>>(
        `SELECT trigger_id AS id, trigger_name AS name, key_hash AS shared, expires_at AS value
         FROM watched_keys WHERE expires_at <= ? ORDER BY expires_at, rowid`,
        time,
      )
      .toArray()
    return grouped(rows).map(({ value, ...shared }) => ({ ...shared, expiresAt: value }))
  }

  /** Returns the accounts with less credit, each with its triggers. Compares the latest balance of each account. */
  accountsBelow(cents: number): LowAccount[] {
    const rows = this.#sql
      .exec<SharedRow<number>>(
        `SELECT trigger_id AS id, trigger_name AS name, account_hash AS shared, first_value(balance_cents)
           OVER (PARTITION BY account_hash ORDER BY checked_at DESC, rowid) AS value
         FROM watched_keys WHERE balance_cents IS NOT NULL ORDER BY rowid`,
      )
      .toArray()
      .filter(({ value }) => value < cents)
    return grouped(rows).map(({ value, ...shared }) => ({ ...shared, balanceCents: value }))
  }

  /** Returns the accounts whose latest check found a declined or disputed payment, each with its triggers. */
  accountsWithFailedPayment(): UnpaidAccount[] {
    const rows = this.#sql
      .exec<SharedRow<PaymentProblem | null>>(
        `SELECT trigger_id AS id, trigger_name AS name, account_hash AS shared, first_value(payment_problem)
           OVER (PARTITION BY account_hash ORDER BY checked_at DESC, rowid) AS value
         FROM watched_keys WHERE account_hash IS NOT NULL ORDER BY rowid`,
      )
      .toArray()
      .flatMap(({ value, ...row }) => (value === null ? [] : [{ ...row, value }]))
    return grouped(rows).map(({ value, ...shared }) => ({ ...shared, problem: value }))
  }

  #triggerWhere(condition: string, hash: string): NamedTrigger | undefined {
    const query = `SELECT trigger_id AS id, trigger_name AS name FROM watched_keys WHERE ${condition} ORDER BY rowid`
    return this.#sql.exec<NamedTrigger>(`${query} LIMIT 1`, hash).toArray()[0]
  }
}

function grouped<Value>(rows: readonly SharedRow<Value>[]): (Sharing & { value: Value })[] {
  const groups = new Map<string, Sharing & { value: Value }>()
  for (const { id, name, shared, value } of rows) {
    const known = groups.get(shared)
    if (known) known.triggers.push({ id, name })
    else groups.set(shared, { hash: shared, triggers: [{ id, name }], value })
  }
  return [...groups.values()]
}
