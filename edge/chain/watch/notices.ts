/** What a trigger is owed: its runs of blocks above this one are marked. */
export type Notice = { above: number; serial: number }

/**
 * Which blocks triggers may have been told of, and what they are still to be told of reorganisations. A block is noted
 * before the trigger is told: a watcher that is killed in between owes a notice too many, and never one too few.
 * What writes is called in a transaction of its caller.
 */
export class Notices {
  readonly #sql: SqlStorage
  readonly #owed = new Map<string, Notice[]>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  load(): void {
    this.#owed.clear()
    const rows = this.#sql.exec<Notice & { trigger: string }>(
      'SELECT serial, trigger_id AS "trigger", above FROM notices ORDER BY serial',
    )
    for (const { trigger, above, serial } of rows) this.#add(trigger, { above, serial })
  }

  /** Before a trigger is told of logs of these blocks. */
  mayFire(triggerId: string, blocks: Iterable<number>): void {
    for (const block of new Set(blocks))
      this.#sql.exec(
        'INSERT OR IGNORE INTO fired (trigger_id, block_number) VALUES (?, ?)',
        triggerId,
        block,
      )
  }

  /** Blocks above one are no longer of the chain: whoever may have been told of them is owed a notice. */
  takeBack(above: number): void {
    const rows = this.#sql.exec<{ serial: number; trigger: string }>(
      `INSERT INTO notices (trigger_id, above)
       SELECT DISTINCT trigger_id, ?1 FROM fired WHERE block_number > ?1
       RETURNING serial, trigger_id AS "trigger"`,
      above,
    )
    for (const { serial, trigger } of rows.toArray()) this.#add(trigger, { above, serial })
    this.#sql.exec('DELETE FROM fired WHERE block_number > ?', above)
  }

  /** All that a trigger is owed now, in one: the lowest block, and the latest serial. */
  of(triggerId: string): Notice | undefined {
    const owed = this.#owed.get(triggerId)
    if (!owed) return undefined
    return {
      above: Math.min(...owed.map(({ above }) => above)),
      serial: Math.max(...owed.map(({ serial }) => serial)),
    }
  }

  /** Triggers that are owed one. */
  triggers(): string[] {
    return [...this.#owed.keys()]
  }

  /** A trigger has taken what it was owed, up to a serial: what came later is still owed. */
  told(triggerId: string, serial: number): void {
    this.#sql.exec('DELETE FROM notices WHERE trigger_id = ? AND serial <= ?', triggerId, serial)
    const left = this.#owed.get(triggerId)?.filter((notice) => notice.serial > serial) ?? []
    if (left.length > 0) this.#owed.set(triggerId, left)
    else this.#owed.delete(triggerId)
  }

  /** Blocks below one stay for good. */
  settle(below: number): void {
    this.#sql.exec('DELETE FROM fired WHERE block_number < ?', below)
  }

  /** Nobody is watched for any more. */
  clear(): void {
    this.#sql.exec('DELETE FROM fired')
    this.#sql.exec('DELETE FROM notices')
    this.#owed.clear()
  }

  #add(triggerId: string, notice: Notice): void {
    const owed = this.#owed.get(triggerId)
    if (owed) owed.push(notice)
    else this.#owed.set(triggerId, [notice])
  }
}
