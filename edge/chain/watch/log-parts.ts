import { BODY_PART_BYTES } from '../../../shared/limits.ts'

/**
 * Splits the JSON of logs into rows that the storage accepts. Anyone can emit logs larger than a row, and a log that
 * cannot be stored would stop the watcher for all triggers of the chain. Methods that write must be called in a
 * transaction.
 */
export class LogParts {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * Stores the parts of a log that do not fit into the log's own row.
   * @param json JSON with one byte per character
   * @returns first part, which the caller stores in the log's own row
   */
  add(block: number, logIndex: number, json: string): string {
    for (let part = 1; part * BODY_PART_BYTES < json.length; part++)
      this.#sql.exec(
        'INSERT OR REPLACE INTO log_parts (block_number, log_index, part, text) VALUES (?, ?, ?, ?)',
        block,
        logIndex,
        part,
        json.slice(part * BODY_PART_BYTES, (part + 1) * BODY_PART_BYTES),
      )
    return json.slice(0, BODY_PART_BYTES)
  }

  /** @param first the part that is stored in the log's own row */
  whole(block: number, logIndex: number, first: string): string {
    if (first.length < BODY_PART_BYTES) return first
    const rest = this.#sql.exec<{ text: string }>(
      'SELECT text FROM log_parts WHERE block_number = ? AND log_index = ? ORDER BY part',
      block,
      logIndex,
    )
    return first + [...rest].map(({ text }) => text).join('')
  }

  deleteOutside(lowest: number, highest: number): void {
    this.#sql.exec('DELETE FROM log_parts WHERE block_number NOT BETWEEN ? AND ?', lowest, highest)
  }
}
