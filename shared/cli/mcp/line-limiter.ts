import { Transform, type TransformCallback } from 'node:stream'
import { MCP_MESSAGE_MAX_BYTES } from '../../limits.ts'

const NEWLINE = 0x0a

/** Drops input lines that are too long. The MCP library would close the connection for such a line. */
export class LineLimiter extends Transform {
  readonly #maxBytes: number
  readonly #onDropped: () => void
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  #isDropping = false

  constructor(onDropped: () => void, maxBytes = MCP_MESSAGE_MAX_BYTES) {
    super()
    this.#maxBytes = maxBytes
    this.#onDropped = onDropped
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#buffer(rest.subarray(0, end + 1))
      if (!this.#isDropping) this.push(Buffer.concat(this.#buffered))
      this.#clearBuffer()
      this.#isDropping = false
      rest = rest.subarray(end + 1)
    }
    this.#buffer(rest)
    done()
  }

  #buffer(part: Buffer): void {
    if (this.#isDropping || part.length === 0) return
    this.#buffered.push(part)
    this.#bufferedBytes += part.length
    if (this.#bufferedBytes <= this.#maxBytes) return
    this.#clearBuffer()
    this.#isDropping = true
    this.#onDropped()
  }

  #clearBuffer(): void {
    this.#buffered = []
    this.#bufferedBytes = 0
  }
}
