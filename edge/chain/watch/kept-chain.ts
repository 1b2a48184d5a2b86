import type { BlockHeader } from '../block-header.ts'
import type { ChainLog, Position } from '../chain-log.ts'
import { routeOfLog } from '../matching/matches.ts'

type BlockRow = {
  number: number
  hash: string
  parent_hash: string
  timestamp: number
  logs_bloom: string
}

/**
 * What the watcher keeps of the chain near its head: linked blocks, and the logs that somebody wanted when they were
 * looked through. Every method that writes is called in a transaction of its caller.
 */
export class KeptChain {
  readonly #sql: SqlStorage
  #through: number | undefined
  #first: number | undefined

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.load()
  }

  /** Reads where it is: at the start, and after a transaction that failed. */
  load(): void {
    const [row] = this.#sql.exec<{ through: number | null }>('SELECT through FROM watch')
    this.#through = row?.through ?? undefined
    const first = this.#sql.exec<{ first: number | null }>(
      'SELECT min(number) AS first FROM blocks',
    )
    this.#first = first.one().first ?? undefined
  }

  /** Logs were looked for up to this block; `undefined` before the first look. */
  get through(): number | undefined {
    return this.#through
  }

  /** The lowest block that is kept, or would be: what is below it is settled, and read by stretches. */
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
      .exec<BlockRow>('SELECT * FROM blocks WHERE number BETWEEN ? AND ? ORDER BY number', from, to)
      .toArray()
      .map(({ number, hash, parent_hash, timestamp, logs_bloom }) => ({
        number,
        hash,
        parentHash: parent_hash,
        timestamp,
        logsBloom: logs_bloom,
      }))
  }

  /** Keeps further blocks, linked to the highest, with the logs that were looked for in them. */
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

  /** Logs of kept blocks; those that are there already stay. */
  addLogs(logs: readonly ChainLog[]): void {
    for (const log of logs)
      this.#sql.exec(
        'INSERT OR IGNORE INTO logs (block_number, log_index, route, log) VALUES (?, ?, ?, ?)',
        log.blockNumber,
        log.logIndex,
        routeOfLog(log),
        JSON.stringify(log),
      )
  }

  /** Goes back to a block: what is above it is no longer of the chain. */
  rollBack(to: number): void {
    this.#sql.exec('DELETE FROM blocks WHERE number > ?', to)
    this.#sql.exec('DELETE FROM logs WHERE block_number > ?', to)
    if (this.#first !== undefined && this.#first > to) this.#first = undefined
    if (this.#through !== undefined && this.#through > to) this.#setThrough(to)
  }

  /** Keeps nothing, and has been looked through up to a block. @param through `undefined`: not at all */
  restart(through: number | undefined): void {
    this.#sql.exec('DELETE FROM blocks')
    this.#sql.exec('DELETE FROM logs')
    this.#first = undefined
    this.#setThrough(through)
  }

  /** Gives up the blocks below one. */
  prune(below: number): void {
    if (this.#first === undefined || below <= this.#first) return
    this.#sql.exec('DELETE FROM blocks WHERE number < ?', below)
    this.#sql.exec('DELETE FROM logs WHERE block_number < ?', below)
    const first = this.#sql.exec<{ first: number | null }>(
      'SELECT min(number) AS first FROM blocks',
    )
    this.#first = first.one().first ?? undefined
  }

  /**
   * Logs in order, as JSON with their routes.
   * @param from the first block @param to the last
   */
  logsIn(
    from: number,
    to: number,
  ): SqlStorageCursor<{ block: number; route: string; log: string }> {
    return this.#sql.exec(
      `SELECT block_number AS block, route, log FROM logs WHERE block_number BETWEEN ? AND ?
       ORDER BY block_number, log_index`,
      from,
      to,
    )
  }

  /** The block of the log that stands so many logs behind the first one from a block on; `undefined` where none does. */
  blockOfLog(from: number, count: number): number | undefined {
    return this.#sql
      .exec<{ block: number }>(
        `SELECT block_number AS block FROM logs WHERE block_number >= ?
         ORDER BY block_number, log_index LIMIT 1 OFFSET ?`,
        from,
        count,
      )
      .toArray()[0]?.block
  }

  /** Logs of one route from a place on, in order. @param to the last block */
  logsOfRoute(route: string, from: Position, to: number, limit: number): ChainLog[] {
    return this.#sql
      .exec<{ log: string }>(
        `SELECT log FROM logs WHERE route = ? AND (block_number, log_index) >= (?, ?) AND block_number <= ?
         ORDER BY block_number, log_index LIMIT ?`,
        route,
        from.block,
        from.logIndex,
        to,
        limit,
      )
      .toArray()
      .map(({ log }) => JSON.parse(log) as ChainLog)
  }

  #setThrough(through: number | undefined): void {
    this.#sql.exec(
      'INSERT INTO watch (id, through) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET through = ?1',
      through ?? null,
    )
    this.#through = through
  }
}
