/** Throws WasmLayoutError on anything unexpected. */
export class Reader {
  at: number
  readonly end: number
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  byte(): number {
    const value = this.bytes[this.at]
    if (this.at >= this.end || value === undefined) throw new WasmLayoutError(this.at, 'ends early')
    this.at++
    return value
  }

  u32(): number {
    const start = this.at
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break
        return value
      }
    }
    throw new WasmLayoutError(start, 'has a number of more than 32 bits')
  }

  /** Skips a signed or unsigned LEB128 number. */
  skipNumber(bytesMax: number): void {
    const start = this.at
    while (this.byte() >= 0x80)
      if (this.at - start >= bytesMax)
        throw new WasmLayoutError(start, 'has a number that is too long')
  }

  skip(bytes: number): void {
    if (this.at + bytes > this.end) throw new WasmLayoutError(this.at, 'ends early')
    this.at += bytes
  }

  expect(expected: number, what: string): void {
    const start = this.at
    if (this.byte() !== expected) throw new WasmLayoutError(start, `has no ${what}`)
  }

  name(): string {
    const length = this.u32()
    const start = this.at
    this.skip(length)
    return new TextDecoder().decode(this.bytes.subarray(start, this.at))
  }

  done(): void {
    if (this.at !== this.end) throw new WasmLayoutError(this.at, 'has trailing bytes')
  }
}

export class WasmLayoutError extends Error {
  constructor(at: number, what: string) {
    super(`the WebAssembly module ${what}, at byte ${at}`)
    this.name = 'WasmLayoutError'
  }
}
