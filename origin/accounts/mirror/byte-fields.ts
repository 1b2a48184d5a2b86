const INITIAL_BYTES = 4_096

export class FieldWriter {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES)
  #at = 0

  get length(): number {
    return this.#at
  }

  take(): Uint8Array {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at))
    this.#at = 0
    return taken
  }

  /** Writes an integer from 0 to 2^53 - 1 as a varint: seven bits per byte, lowest bits first. */
  number(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#byte((rest % 0x80) | 0x80)
    this.#byte(rest)
  }

  word(hex: string): void {
    this.#reserve(32)
    this.#at += this.#bytes.write(hex.slice(2), this.#at, 32, 'hex')
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.number(length)
    this.#reserve(length)
    this.#at += this.#bytes.write(value, this.#at, length)
  }

  /** Writes the bytes, preceded by their length. */
  bytes(value: Uint8Array): void {
    this.number(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  list<T>(items: ReadonlySet<T> | readonly T[], write: (item: T) => void): void {
    this.number('size' in items ? items.size : items.length)
    for (const item of items) write(item)
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = value
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

/** Does not validate its input, which must already be authenticated. */
export class FieldReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  word(): string {
    const at = this.#at
    this.#at += 32
    return `0x${this.#bytes.toString('hex', at, this.#at)}`
  }

  text(): string {
    const length = this.number()
    const at = this.#at
    this.#at += length
    return this.#bytes.toString('utf8', at, this.#at)
  }

  /** Returns a view of the underlying buffer, not a copy. */
  bytes(): Uint8Array {
    const length = this.number()
    const at = this.#at
    this.#at += length
    return this.#bytes.subarray(at, this.#at)
  }

  list<T>(read: () => T): T[] {
    const items: T[] = []
    for (let left = this.number(); left > 0; left--) items.push(read())
    return items
  }
}
