/** Logs that fired runs, kept while their blocks can still be reorganized (`docs/storage.md`, fired_logs). */
import type { ChainLog } from '../chain/chain-log.ts'

/** Every method must be called within the transaction of a delivery. */
export class FiredLogs {
  readonly #sql: Pick<SqlStorage, 'exec'>

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql
  }

  /** Returns true if this log fired a run, even if the run is no longer in the history. */
  has(suffix: string): boolean {
    return this.#sql.exec('SELECT 1 FROM fired_logs WHERE suffix = ?', suffix).toArray().length > 0
  }

  /** Marks the runs of logs in blocks above this one, which are no longer on the chain. */
  takeBack(above: number): void {
    this.#sql.exec(
      `UPDATE runs SET reorged = 1 WHERE suffix IN (
         SELECT suffix FROM fired_logs WHERE block_number > ? AND on_chain = 1
       )`,
      above,
    )
    this.#sql.exec('UPDATE fired_logs SET on_chain = 0 WHERE block_number > ?', above)
  }

  /**
   * Records that a block of the chain contains this log.
   * @param isKnown true if the log already has a run; its reorg mark is removed
   * @param settledThrough logs up to this block are not recorded, because it can no longer be reorganized
   */
  onChain(
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

  /** Deletes the logs up to this block, which can no longer be reorganized. */
  forget(settledThrough: number): void {
    this.#sql.exec('DELETE FROM fired_logs WHERE block_number <= ?', settledThrough)
  }
}
