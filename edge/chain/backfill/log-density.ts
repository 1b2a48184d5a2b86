import type { ChainLog } from '../chain-log.ts'

/** Hex characters of data that count as one more log: 2 KiB. Nearly all logs have less. */
const DATA_OF_A_LOG = 4 * 1024

/** Weighs logs by the cost of sending and storing them. A log with much data counts as several. */
export function weightOf(logs: readonly ChainLog[]): number {
  return logs.reduce((sum, { data }) => sum + 1 + Math.floor(data.length / DATA_OF_A_LOG), 0)
}

/**
 * Estimates the logs per block of a range from its latest responses. The last response has at least half of the weight.
 */
export class LogDensity {
  #blocks = 0
  #logs = 0

  saw(blocks: number, logs: number): void {
    this.#blocks = this.#blocks / 2 + blocks
    this.#logs = this.#logs / 2 + logs
  }

  /** Expected number of logs in this many blocks, or 0 before the first response. */
  logsIn(blocks: number): number {
    return this.#blocks === 0 ? 0 : (this.#logs / this.#blocks) * blocks
  }

  /** Number of blocks that are expected to contain this many logs, at least one. */
  blocksWith(logs: number): number {
    const each = this.logsIn(1)
    return each === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(logs / each))
  }
}
