import { LOGS_MAX_BYTES } from '../../../shared/limits.ts'
import type { LogLine } from '../../../shared/wire/log-line.ts'

/** Maximum number of log lines. The byte limit alone would permit a huge number of empty lines. */
export const LOG_LINES_MAX = 10_000

/** Console output of one run: the first `LOGS_MAX_BYTES`, followed by a line which says that the rest was truncated. */
export class Logs {
  readonly lines: LogLine[] = []
  #bytes = 0
  #full = false
  #reported = 0

  get hasUnreported(): boolean {
    return this.lines.length > this.#reported
  }

  /** Returns the lines since the previous call, or undefined if there are none. */
  takeUnreported(): LogLine[] | undefined {
    if (!this.hasUnreported) return undefined
    const lines = this.lines.slice(this.#reported)
    this.#reported = this.lines.length
    return lines
  }

  /** Adds a line, truncated if only a part of it fits. Returns true once the log is full. */
  add(level: LogLine['level'], at_ms: number, text: string): boolean {
    if (this.#full) return true
    const line = text.toWellFormed()
    const size = Buffer.byteLength(line) + 1
    const room = LOGS_MAX_BYTES - this.#bytes
    if (size <= room && this.lines.length < LOG_LINES_MAX) {
      this.#bytes += size
      this.lines.push({ level, at_ms, text: line })
      return false
    }
    const kept = truncateUtf8(line, size <= room ? 0 : room)
    if (kept !== '') this.lines.push({ level, at_ms, text: kept })
    const note = `[console output truncated after ${LOGS_MAX_BYTES} bytes or ${LOG_LINES_MAX} lines]`
    this.lines.push({ level: 'warn', at_ms, text: note })
    this.#full = true
    return true
  }
}

/** Returns the longest prefix of at most `bytes` bytes in UTF-8, without splitting characters. */
function truncateUtf8(text: string, bytes: number): string {
  const encoded = Buffer.from(text)
  let end = Math.min(bytes, encoded.length)
  while (end > 0 && end < encoded.length && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--
  return encoded.toString('utf8', 0, end)
}
