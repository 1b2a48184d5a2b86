/** Chunks below this size share buffers. A separate buffer would cost 500 bytes, even for a TLS record of one byte. */
const SMALL_BYTES = 1024
const PAGE_BYTES = 8 * 1024

/** Byte queue with memory use proportional to the number of bytes, however small the chunks are. */
export class ReceivedBytes {
  length = 0
  #pieces: Buffer[] = []
  /** Buffer for the small chunks that arrived after those in `#pieces`. */
  #page = Buffer.alloc(0)
  #pageStart = 0
  #pageEnd = 0

  add(bytes: Buffer): void {
    const isFirst = this.length === 0
    this.length += bytes.length
    if (isFirst || bytes.length >= SMALL_BYTES) {
      this.#endPage()
      this.#pieces.push(bytes)
      return
    }
    if (this.#page.length - this.#pageEnd < bytes.length) {
      this.#endPage()
      this.#page = Buffer.allocUnsafeSlow(PAGE_BYTES)
      this.#pageStart = this.#pageEnd = 0
    }
    this.#pageEnd += bytes.copy(this.#page, this.#pageEnd)
  }

  /** Returns between one and `most` bytes from the front, without copying. The queue must not be empty. */
  first(most: number): Buffer {
    if (this.#pieces.length === 0) this.#endPage()
    return this.#pieces[0]!.subarray(0, most)
  }

  skip(bytes: number): void {
    const piece = this.#pieces[0]!
    if (piece.length === bytes) this.#pieces.shift()
    else this.#pieces[0] = piece.subarray(bytes)
    this.length -= bytes
  }

  clear(): void {
    this.length = 0
    this.#pieces = []
    this.#page = Buffer.alloc(0)
    this.#pageStart = this.#pageEnd = 0
  }

  #endPage(): void {
    if (this.#pageEnd === this.#pageStart) return
    this.#pieces.push(this.#page.subarray(this.#pageStart, this.#pageEnd))
    this.#pageStart = this.#pageEnd
  }
}
