import type { ChainLog } from '../chain-log.ts'

/** Hex characters of data that count as much as a log does: 2 KiB. Nearly all logs have less. */
const DATA_OF_A_LOG = 4 * 1024

/** How many logs these are to who has to send and to keep them: one with much data counts as several. */
export function weightOf(logs: readonly ChainLog[]): number {
  return logs.reduce((sum, { data }) => sum + 1 + Math.floor(data.length / DATA_OF_A_LOG), 0)
}

/** How many logs a block of a stretch has, by its latest answers; the last one counts for half or more. */
export class LogDensity {
  #blocks = 0
  #logs = 0

  saw(blocks: number, logs: number): void {
    this.#blocks = this.#blocks / 2 + blocks
    this.#logs = this.#logs / 2 + logs
  }

  /** How many logs that many blocks probably have: none while nothing is known. */
  logsIn(blocks: number): number {
    return this.#blocks === 0 ? 0 : (this.#logs / this.#blocks) * blocks
  }

  /** How many blocks probably have that many logs, at least one. */
  blocksWith(logs: number): number {
    const each = this.logsIn(1)
    return each === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(logs / each))
  }
}
