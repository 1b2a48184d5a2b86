import type { ChainLog } from '../chain/chain-log.ts'

/**
 * Chain logs that have fired runs and whose blocks can still be reorganized (`docs/storage.md`, fired_logs). Methods
 * that write must be called within the transaction that stores a delivery of logs.
 */
export class FiredLogs {
  readonly #sql: Pick<SqlStorage, 'exec'>

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql
  }

  /** Returns true if the log has fired a run, even if that run is no longer in the history. */
  has(suffix: string): boolean {
    return this.#sql.exec('SELECT 1 FROM fired_logs WHERE suffix = ?', suffix).toArray().length > 0
  }

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
   * @param isKnown true if the log has already fired a run, in which case the run is no longer marked as reorganized
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

  deleteThrough(settledThrough: number): void {
    this.#sql.exec('DELETE FROM fired_logs WHERE block_number <= ?', settledThrough)
  }
}
