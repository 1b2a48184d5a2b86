import { LOGS_MAX_BYTES } from '../../../shared/limits.ts'
import type { LogLine } from '../../../shared/wire/log-line.ts'
import { LOG_LINES_MAX } from '../executor/logs.ts'

/** Lines that the executor adds to the output: a truncated one, and the note about it. */
const ADDED_LINES = 2
const NOTE_CHARACTERS = 1_024

/** Console output that an executor reports while its run is in progress. */
export class ReportedLogs {
  readonly lines: LogLine[] = []
  #characters = 0

  /** @returns false if the executor reports more than it may */
  add(lines: readonly LogLine[]): boolean {
    for (const { text } of lines) this.#characters += text.length
    const isTooMuch =
      this.lines.length + lines.length > LOG_LINES_MAX + ADDED_LINES ||
      this.#characters > LOGS_MAX_BYTES + NOTE_CHARACTERS
    if (isTooMuch) return false
    this.lines.push(...lines)
    return true
  }
}
