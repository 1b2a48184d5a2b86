/** Pending reorg notice. The trigger marks the runs that were started by logs of blocks above `above`. */
type ReorgNotice = { above: number; serial: number }

/**
 * Records the blocks from which each trigger may have received logs, and the pending reorg notices of each trigger. A
 * block is recorded before its logs are delivered. If the watcher is killed in between, it may send an unnecessary
 * notice, but it never misses one. Methods that write must be called in a transaction.
 */
export class ReorgNotices {
  readonly #sql: SqlStorage
  readonly #pending = new Map<string, ReorgNotice[]>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  load(): void {
    this.#pending.clear()
    const rows = this.#sql.exec<ReorgNotice & { trigger: string }>(
      'SELECT serial, trigger_id AS "trigger", above FROM notices ORDER BY serial',
    )
    for (const { trigger, above, serial } of rows) this.#add(trigger, { above, serial })
  }

  /** Must be called before the delivery. */
  recordDelivery(triggerId: string, blocks: Iterable<number>): void {
    for (const block of new Set(blocks))
      this.#sql.exec(
        'INSERT OR IGNORE INTO fired (trigger_id, block_number) VALUES (?, ?)',
        triggerId,
        block,
      )
  }

  createForReorg(above: number): void {
    const rows = this.#sql.exec<{ serial: number; trigger: string }>(
      `INSERT INTO notices (trigger_id, above)
       SELECT DISTINCT trigger_id, ?1 FROM fired WHERE block_number > ?1
       RETURNING serial, trigger_id AS "trigger"`,
      above,
    )
    for (const { serial, trigger } of rows.toArray()) this.#add(trigger, { above, serial })
    this.#sql.exec('DELETE FROM fired WHERE block_number > ?', above)
  }

  /** Combines all pending notices of a trigger into one, with the lowest block and the latest serial. */
  of(triggerId: string): ReorgNotice | undefined {
    const pending = this.#pending.get(triggerId)
    if (!pending) return undefined
    return {
      above: Math.min(...pending.map(({ above }) => above)),
      serial: Math.max(...pending.map(({ serial }) => serial)),
    }
  }

  triggers(): string[] {
    return [...this.#pending.keys()]
  }

  /** Notices after `serial` stay pending. */
  acknowledge(triggerId: string, serial: number): void {
    this.#sql.exec('DELETE FROM notices WHERE trigger_id = ? AND serial <= ?', triggerId, serial)
    const left = this.#pending.get(triggerId)?.filter((notice) => notice.serial > serial) ?? []
    if (left.length > 0) this.#pending.set(triggerId, left)
    else this.#pending.delete(triggerId)
  }

  /** @param below lowest block that can still be reorganized */
  prune(below: number): void {
    this.#sql.exec('DELETE FROM fired WHERE block_number < ?', below)
  }

  /** Must be called when no triggers are left. */
  clear(): void {
    this.#sql.exec('DELETE FROM fired')
    this.#sql.exec('DELETE FROM notices')
    this.#pending.clear()
  }

  #add(triggerId: string, notice: ReorgNotice): void {
    const pending = this.#pending.get(triggerId)
    if (pending) pending.push(notice)
    else this.#pending.set(triggerId, [notice])
  }
}
