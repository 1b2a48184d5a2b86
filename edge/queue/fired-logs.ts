/** The logs that made runs, for as long as their blocks may be taken back (`docs/storage.md`, fired_logs). */
import type { ChainLog } from '../chain/chain-log.ts'

/** Every method belongs into the transaction of a delivery. */
export class FiredLogs {
  readonly #sql: Pick<SqlStorage, 'exec'>

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql
  }

  /** Whether this log made a run: also one that is not in the history any more. */
  has(suffix: string): boolean {
    return this.#sql.exec('SELECT 1 FROM fired_logs WHERE suffix = ?', suffix).toArray().length > 0
  }

  /** Blocks above this one are of the chain no more: the runs of their logs are marked. */
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
   * A block of the chain has this log.
   * @param isKnown it had its run before, whose mark goes if it has one
   * @param settledThrough of blocks up to this one nothing has to be remembered
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

  /** Blocks up to this one stay for good. */
  forget(settledThrough: number): void {
    this.#sql.exec('DELETE FROM fired_logs WHERE block_number <= ?', settledThrough)
  }
}
