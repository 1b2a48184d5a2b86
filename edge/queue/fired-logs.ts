import type { ChainLog } from '../chain/chain-log.ts'

/**
 * Chain logs that have fired runs, while their blocks can still be reorganized (`docs/storage.md`, fired_logs). Methods
 * that write must be called within the transaction that stores a delivery of logs.
 */
export class FiredLogs {
  readonly #sql: Pick<SqlStorage, 'exec'>

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql
  }

  /** True even if the run is no longer in the history. */
  has(suffix: string): boolean {
    return this.#sql.exec('SELECT 1 FROM fired_logs WHERE suffix = ?', suffix).toArray().length > 0
  }

  /** Marks runs as reorganized if the block of their log is above `above`. */
  markReorged(above: number): void {
    this.#sql.exec(
      `UPDATE runs SET reorged = 1 WHERE suffix IN (
         SELECT suffix FROM fired_logs WHERE block_number > ? AND on_chain = 1
       )`,
      above,
    )
    this.#sql.exec('UPDATE fired_logs SET on_chain = 0 WHERE block_number > ?', above)
  }

  /**
   * Records that a block of the chain contains the log.
   * @param isKnown true if the log has already fired a run. Its reorg mark is then removed.
   * @param settledThrough the highest block that can no longer be reorganized. Logs up to this block are not recorded.
   */
  recordOnChain(
    suffix: string,
    block: ChainLog['blockNumber'],
    isKnown: boolean,
    settledThrough: number,
  ) {
    if (isKnown)
      this.#sql.exec('UPDATE runs SET reorged = 0 WHERE suffix = ? AND reorged = 1', suffix)
    if (block <= settledThrough) return
    this.#sql.exec(
      'INSERT OR REPLACE INTO fired_logs (suffix, block_number, on_chain) VALUES (?, ?, 1)',
      suffix,
      block,
    )
  }

  /** Deletes the logs in blocks up to `settledThrough`, which can no longer be reorganized. */
  deleteThrough(settledThrough: number): void {
    this.#sql.exec('DELETE FROM fired_logs WHERE block_number <= ?', settledThrough)
  }
}
