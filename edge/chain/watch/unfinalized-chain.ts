import { weightOf } from '../backfill/log-density.ts'
import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import type { ChainLog, LogPosition } from '../chain-log.ts'
import { listRouteKey, logRouteKey } from '../matching/log-matching.ts'
import { LogParts } from './log-parts.ts'

/** Number of bytes in a log's row that count as one additional log, consistent with `weightOf`. */
const BYTES_OF_A_LOG = 4 * 1024

type LogRow = { block: number; place: number; route: string; log: string }

/**
 * Unfinalized chain: linked blocks near the head, and the logs that triggers needed when the blocks were searched.
 * Methods that write must be called in a transaction.
 */
export class UnfinalizedChain {
  readonly #sql: SqlStorage
  readonly #parts: LogParts
  #through: number | undefined
  #first: number | undefined

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#parts = new LogParts(sql)
    this.load()
  }

  /** Loads the state from storage, at startup and after a failed transaction. */
  load(): void {
    const [row] = this.#sql.exec<{ through: number | null }>('SELECT through FROM watch')
    this.#through = row?.through ?? undefined
    this.#first = this.#lowestStored()
  }

  /** Last block that was searched for logs. Undefined before the first poll. */
  get through(): number | undefined {
    return this.#through
  }

  /**
   * Lowest stored block, or the next block to search if no blocks are stored. Earlier blocks can no longer be
   * reorganized, and are read by the backfill.
   */
  get first(): number {
    return this.#first ?? (this.#through ?? -1) + 1
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  hashAt(number: number): string | undefined {
    return this.#sql
      .exec<{ hash: string }>('SELECT hash FROM blocks WHERE number = ?', number)
      .toArray()[0]?.hash
  }

  headers(from: number, to: number): BlockHeader[] {
    return this.#sql
      .exec<BlockHeader>(
        `SELECT number, hash, parent_hash AS parentHash, timestamp, logs_bloom AS logsBloom
         FROM blocks WHERE number BETWEEN ? AND ? ORDER BY number`,
        from,
        to,
      )
      .toArray()
  }

  extend(headers: readonly BlockHeader[], logs: readonly ChainLog[]): void {
    for (const { number, hash, parentHash, timestamp, logsBloom } of headers)
      this.#sql.exec(
        'INSERT INTO blocks (number, hash, parent_hash, timestamp, logs_bloom) VALUES (?, ?, ?, ?, ?)',
        number,
        hash,
        parentHash,
        timestamp,
        logsBloom,
      )
    this.addLogs(logs)
    this.#first ??= headers[0]?.number
    const last = headers.at(-1)
    if (last) this.#setThrough(last.number)
  }

  /** Logs that are already stored are not replaced. */
  addLogs(logs: readonly ChainLog[]): void {
    for (const log of logs)
      this.#sql.exec(
        'INSERT OR IGNORE INTO logs (block_number, log_index, route, log) VALUES (?, ?, ?, ?)',
        log.blockNumber,
        log.logIndex,
        logRouteKey(log),
        this.#parts.add(log.blockNumber, log.logIndex, JSON.stringify(log)),
      )
  }

  rollBack(to: number): void {
    this.#sql.exec('DELETE FROM blocks WHERE number > ?', to)
    this.#sql.exec('DELETE FROM logs WHERE block_number > ?', to)
    this.#parts.deleteOutside(0, to)
    if (this.#first !== undefined && this.#first > to) this.#first = undefined
    if (this.#through !== undefined && this.#through > to) this.#setThrough(to)
  }

  /** @param through last block that counts as searched, or undefined to start over */
  restart(through: number | undefined): void {
    this.#sql.exec('DELETE FROM blocks')
    this.#sql.exec('DELETE FROM logs')
    this.#sql.exec('DELETE FROM log_parts')
    this.#first = undefined
    this.#setThrough(through)
  }

  prune(below: number): void {
    if (this.#first === undefined || below <= this.#first) return
    this.#sql.exec('DELETE FROM blocks WHERE number < ?', below)
    this.#sql.exec('DELETE FROM logs WHERE block_number < ?', below)
    this.#parts.deleteOutside(below, Number.MAX_SAFE_INTEGER)
    this.#first = this.#lowestStored()
  }

  /** Yields stored logs as JSON, in order of block and index, up to and including block `to`. */
  *logsIn(from: number, to: number): Generator<{ block: number; route: string; log: string }> {
    const rows = this.#sql.exec<LogRow>(
      `SELECT block_number AS block, log_index AS place, route, log FROM logs WHERE block_number BETWEEN ? AND ?
       ORDER BY block_number, log_index`,
      from,
      to,
    )
    for (const { block, place, route, log } of rows)
      yield { block, route, log: this.#parts.whole(block, place, log) }
  }

  /**
   * Returns the block of the first log after the total size of logs, counted from block `from`, has reached `weight`.
   * Returns undefined if there is no such log. A log with a lot of data counts as several logs.
   */
  blockAtWeight(from: number, weight: number): number | undefined {
    const rows = this.#sql.exec<{ block: number; bytes: number }>(
      `SELECT block_number AS block, octet_length(log) + (
         SELECT coalesce(sum(octet_length(text)), 0) FROM log_parts
         WHERE log_parts.block_number = logs.block_number AND log_parts.log_index = logs.log_index
       ) AS bytes
       FROM logs WHERE block_number >= ? ORDER BY block_number, log_index`,
      from,
    )
    let before = 0
    for (const { block, bytes } of rows) {
      if (before >= weight) return block
      before += 1 + Math.floor(bytes / BYTES_OF_A_LOG)
    }
    return undefined
  }

  /**
   * Returns the logs of a filter group in order, starting at a position.
   * @param to last block, inclusive
   * @param weight maximum total size, as measured by `weightOf`; the last log may exceed it
   */
  logsOfRoute(route: string, from: LogPosition, to: number, weight: number): ChainLog[] {
    // Filters with a list of addresses share a route, which no log has.
    const isList = route === listRouteKey(route)
    const rows = this.#sql.exec<LogRow>(
      `SELECT block_number AS block, log_index AS place, route, log FROM logs
       WHERE ${isList ? "'*' || substr(route, instr(route, '|'))" : 'route'} = ? AND (block_number, log_index) >= (?, ?) AND block_number <= ?
       ORDER BY block_number, log_index LIMIT ?`,
      route,
      from.block,
      from.logIndex,
      to,
      weight,
    )
    const logs: ChainLog[] = []
    let read = 0
    for (const { block, place, log } of rows) {
      const parsed = JSON.parse(this.#parts.whole(block, place, log)) as ChainLog
      logs.push(parsed)
      read += weightOf([parsed])
      if (read >= weight) break
    }
    return logs
  }

  #lowestStored(): number | undefined {
    const rows = this.#sql.exec<{ first: number | null }>('SELECT min(number) AS first FROM blocks')
    return rows.one().first ?? undefined
  }

  #setThrough(through: number | undefined): void {
    this.#sql.exec(
      'INSERT INTO watch (id, through) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET through = ?1',
      through ?? null,
    )
    this.#through = through
  }
}
