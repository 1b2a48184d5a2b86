import { BODY_PART_BYTES } from '../../../shared/limits.ts'

/**
 * JSON of logs in rows that the storage takes: anybody can deploy a contract whose logs are larger than a row may be, and
 * one that could not be stored would stop the chain for everybody. What writes is called in a transaction of its caller.
 */
export class LogParts {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Keeps what does not fit into the log's own row. @param json one byte a character @returns what does */
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

  /** @param first what the log's own row has */
  whole(block: number, logIndex: number, first: string): string {
    if (first.length < BODY_PART_BYTES) return first
    const rest = this.#sql.exec<{ text: string }>(
      'SELECT text FROM log_parts WHERE block_number = ? AND log_index = ? ORDER BY part',
      block,
      logIndex,
    )
    return first + [...rest].map(({ text }) => text).join('')
  }

  /** Those of blocks above one, and of blocks below another. */
  deleteOutside(lowest: number, highest: number): void {
    this.#sql.exec('DELETE FROM log_parts WHERE block_number NOT BETWEEN ? AND ?', lowest, highest)
  }
}
