/** Append-only byte buffer that stores its parts without copying them. */
export class Writer {
  length = 0
  readonly #parts: ArrayLike<number>[] = []

  add(bytes: ArrayLike<number>): this {
    this.#parts.push(bytes)
    this.length += bytes.length
    return this
  }

  append(other: Writer): this {
    for (const part of other.#parts) this.add(part)
    return this
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.length)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }
}

/** Encodes an unsigned number of at most 32 bits as LEB128. */
export function u32(value: number): number[] {
  const bytes = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

/** Encodes a signed number of at most 32 bits as LEB128. */
export function s32(value: number): number[] {
  const bytes = []
  let rest = value
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest & 0x7f]
}

export function encodeName(text: string): number[] {
  const bytes = new TextEncoder().encode(text)
  return [...u32(bytes.length), ...bytes]
}

export function encodeI32Const(value: number): number[] {
  return [0x41, ...s32(value), 0x0b]
}

/** Appends an item to an encoded vector. `items` is the number of items already in the vector. */
export function appendItem(vector: Uint8Array, items: number, item: number[]): Writer {
  return new Writer()
    .add(u32(items + 1))
    .add(vector.subarray(u32(items).length))
    .add(item)
}

export function writeSection(to: Writer, id: number, contents: Writer): void {
  to.add([id, ...u32(contents.length)]).append(contents)
}
