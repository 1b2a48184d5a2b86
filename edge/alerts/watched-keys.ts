import type { KeyState } from '../../shared/wire/sealed-key-states.ts'

type NamedTrigger = { id: string; name: string }
export type CheckedKey = { trigger: NamedTrigger; state: KeyState | null }
export type SharedKey = { triggers: [NamedTrigger, ...NamedTrigger[]]; expiresAt: number }

type Pass = { startedAt: number; isFinished: boolean; nextAt: number }

/** Stored state of the usage keys of a user's triggers, and the progress of the checks. */
export class WatchedKeys {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the pass in progress or the last one; undefined before the first one. */
  pass(): Pass | undefined {
    const [row] = this.#sql
      .exec<{ started_at: number; is_finished: number; next_at: number }>(
        'SELECT started_at, is_finished, next_at FROM key_checks',
      )
      .toArray()
    return (
      row && { startedAt: row.started_at, isFinished: row.is_finished === 1, nextAt: row.next_at }
    )
  }

  setPass({ startedAt, isFinished, nextAt }: Pass): void {
    this.#sql.exec(
      `INSERT INTO key_checks (id, started_at, is_finished, next_at) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT DO UPDATE SET started_at = ?1, is_finished = ?2, next_at = ?3`,
      startedAt,
      Number(isFinished),
      nextAt,
    )
  }

  add(checked: readonly CheckedKey[], now: number): void {
    for (const { trigger, state } of checked)
      this.#sql.exec(
        `INSERT INTO watched_keys (trigger_id, trigger_name, key_hash, expires_at, checked_at)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET trigger_name = excluded.trigger_name, key_hash = excluded.key_hash,
           expires_at = excluded.expires_at, checked_at = excluded.checked_at`,
        trigger.id,
        trigger.name,
        state?.key_hash ?? null,
        state?.expires_at ?? null,
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

  forgetCheckedBefore(time: number): void {
    this.#sql.exec('DELETE FROM watched_keys WHERE checked_at < ?', time)
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM watched_keys WHERE trigger_id = ?', triggerId)
  }

  /** Returns the keys that expire by this time, each with its triggers. */
  expiringBy(time: number): SharedKey[] {
    const rows = this.#sql
      .exec<{ id: string; name: string; keyHash: string; expiresAt: number }>(
        `SELECT trigger_id AS id, trigger_name AS name, key_hash AS keyHash, expires_at AS expiresAt
         FROM watched_keys WHERE expires_at <= ? ORDER BY expires_at, rowid`,
        time,
      )
      .toArray()
    const keys = new Map<string, SharedKey>()
    for (const { id, name, keyHash, expiresAt } of rows) {
      const known = keys.get(keyHash)
      if (known) known.triggers.push({ id, name })
      else keys.set(keyHash, { triggers: [{ id, name }], expiresAt })
    }
    return [...keys.values()]
  }
}
