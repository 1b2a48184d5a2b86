import type { ChainLog } from '../chain-log.ts'

/** Hex characters of data (2 KiB) that count as one additional log. Nearly all logs have less data. */
const DATA_OF_A_LOG = 4 * 1024

/** Estimated cost of sending and storing logs, in units of a typical log. */
export function weightOf(logs: readonly ChainLog[]): number {
  return logs.reduce((sum, { data }) => sum + 1 + Math.floor(data.length / DATA_OF_A_LOG), 0)
}

/** Each response halves the influence of the earlier ones. */
export class LogDensity {
  #blocks = 0
  #logs = 0

  record(blocks: number, logs: number): void {
    this.#blocks = this.#blocks / 2 + blocks
    this.#logs = this.#logs / 2 + logs
  }

  /** Returns 0 before the first response. */
  expectedLogs(blocks: number): number {
    return this.#blocks === 0 ? 0 : (this.#logs / this.#blocks) * blocks
  }

  /** Returns at least 1, or Infinity if no logs are expected. */
  blocksFor(logs: number): number {
    const each = this.expectedLogs(1)
    return each === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(logs / each))
  }
}
