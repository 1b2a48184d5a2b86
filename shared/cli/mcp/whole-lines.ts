import { Transform, type TransformCallback } from 'node:stream'

/** The largest tool input is a source of 1 MiB, in which JSON may escape each character as six characters. */
export const LINE_MAX_BYTES = 8 * 1024 * 1024

const NEWLINE = 0x0a

/** Drops lines that are too long. The MCP library would close the connection for such a line. */
export class WholeLines extends Transform {
  readonly #maxBytes: number
  readonly #onDropped: () => void
  #held: Buffer[] = []
  #heldBytes = 0
  #isDropping = false

  constructor(onDropped: () => void, maxBytes = LINE_MAX_BYTES) {
    super()
    this.#maxBytes = maxBytes
    this.#onDropped = onDropped
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#hold(rest.subarray(0, end + 1))
      if (!this.#isDropping) this.push(Buffer.concat(this.#held))
      this.#forget()
      this.#isDropping = false
      rest = rest.subarray(end + 1)
    }
    this.#hold(rest)
    done()
  }

  #hold(part: Buffer): void {
    if (this.#isDropping || part.length === 0) return
    this.#held.push(part)
    this.#heldBytes += part.length
    if (this.#heldBytes <= this.#maxBytes) return
    this.#forget()
    this.#isDropping = true
    this.#onDropped()
  }

  #forget(): void {
    this.#held = []
    this.#heldBytes = 0
  }
}
