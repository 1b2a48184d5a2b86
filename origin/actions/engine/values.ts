import type { Pointer, QuickJs } from './quickjs.ts'

/** QuickJS value tags of the pinned build. The self-test detects wrong values. */
const TAG = { int: 0, bool: 1, undefined: 3, rope: -6, string: -7, object: -1, last: 7, first: -9 }

const ARGUMENTS_MAX = 8

/**
 * Number of bytes that are searched for a pointer, in an ArrayBuffer object and in the buffer that the object points
 * to.
 */
const SEARCHED_BYTES = 64
const INNER_BYTES = 32

export class GuestValues {
  readonly #engine: QuickJs
  readonly #tags: Int32Array
  readonly context: Pointer
  readonly #args: Pointer
  /** Offset of the buffer pointer in an ArrayBuffer object, and of the data pointer in that buffer. */
  readonly #layout: { buffer: number; data: number }
  readonly undefined: Pointer
  readonly true: Pointer
  readonly false: Pointer

  constructor(engine: QuickJs, context: Pointer) {
    const { native, bytes } = engine
    this.#engine = engine
    this.#tags = new Int32Array(bytes.buffer)
    this.context = context
    this.#args = native._malloc(ARGUMENTS_MAX * 4)
    this.undefined = native._QTS_GetUndefined()
    this.true = native._QTS_GetTrue()
    this.false = native._QTS_GetFalse()
    this.#layout = this.#findBufferLayout()
  }

  /** Finds the offsets in an ArrayBuffer object by searching the object for its known data address. */
  #findBufferLayout(): { buffer: number; data: number } {
    const { native, words } = this.#engine
    const at = native._malloc(SEARCHED_BYTES)
    const value = native._QTS_NewArrayBuffer(this.context, at, SEARCHED_BYTES)
    const object = words[value >> 2] ?? 0
    const found: { buffer: number; data: number }[] = []
    for (let buffer = 0; buffer < SEARCHED_BYTES; buffer += 4) {
      const inner = words[(object + buffer) >> 2] ?? 0
      if (inner <= object || inner % 4 !== 0) continue
      for (let data = 0; data < INNER_BYTES; data += 4)
        if (words[(inner + data) >> 2] === at) found.push({ buffer, data })
    }
    this.free(value)
    const [layout] = found
    if (layout === undefined || found.length > 1)
      throw new Error(
        `the bytes of an ArrayBuffer were found at ${found.length} addresses, expected 1`,
      )
    return layout
  }

  /** The text must not contain NUL. The caller must free the copy. */
  cString(text: string): { at: Pointer; length: number } {
    const { native, bytes } = this.#engine
    const length = Buffer.byteLength(text)
    const at = native._malloc(length + 1)
    bytes.write(text, at, length, 'utf8')
    bytes[at + length] = 0
    return { at, length }
  }

  /** @param text must not contain NUL; lone surrogates are replaced by U+FFFD */
  text(text: string): Pointer {
    const { native } = this.#engine
    const { at } = this.cString(text)
    const value = native._QTS_NewString(this.context, at)
    native._free(at)
    return value
  }

  number(value: number): Pointer {
    return this.#engine.native._QTS_NewFloat64(this.context, value)
  }

  boolean(value: boolean): Pointer {
    return value ? this.true : this.false
  }

  arrayBuffer(content: Uint8Array): Pointer {
    const { native, bytes } = this.#engine
    const at = native._malloc(content.length || 1)
    bytes.set(content, at)
    return native._QTS_NewArrayBuffer(this.context, at, content.length)
  }

  property(object: Pointer, name: string): Pointer {
    const key = this.text(name)
    const value = this.#engine.native._QTS_GetProp(this.context, object, key)
    this.free(key)
    return value
  }

  setProperty(object: Pointer, name: string, value: Pointer): void {
    const key = this.text(name)
    this.#engine.native._QTS_SetProp(this.context, object, key, value)
    this.free(key)
  }

  duplicate(value: Pointer): Pointer {
    return this.#engine.native._QTS_DupValuePointer(this.context, value)
  }

  free(value: Pointer): void {
    this.#engine.native._QTS_FreeValuePointer(this.context, value)
  }

  call(fn: Pointer, args: readonly Pointer[]): { value: Pointer } | { thrown: Pointer } {
    const { native, words } = this.#engine
    for (let at = 0; at < args.length; at++) words[(this.#args >> 2) + at] = args[at] ?? 0
    const value = native._QTS_Call(this.context, fn, this.undefined, args.length, this.#args)
    return this.#resolved(value)
  }

  /** @param file pointer to the file name that is shown in stack frames */
  evaluate(code: string, file: Pointer): { value: Pointer } | { thrown: Pointer } {
    const { native } = this.#engine
    const { at, length } = this.cString(code)
    const value = native._QTS_Eval(this.context, at, length, file, 0, 0)
    native._free(at)
    return this.#resolved(value)
  }

  #resolved(value: Pointer): { value: Pointer } | { thrown: Pointer } {
    const thrown = this.#engine.native._QTS_ResolveException(this.context, value)
    return thrown === 0 ? { value } : { thrown }
  }

  isText(value: Pointer): boolean {
    const tag = this.#tag(value)
    return tag === TAG.string || tag === TAG.rope
  }

  /**
   * Reads a string up to its first NUL. Returns '' for any other type, because converting a value could run guest code.
   */
  readText(value: Pointer): string {
    if (!this.isText(value)) return ''
    const { native, bytes } = this.#engine
    const start = native._QTS_GetString(this.context, value)
    if (start === 0) throw new RangeError('out of memory while reading a string of the guest')
    const text = bytes.toString('utf8', start, bytes.indexOf(0, start))
    native._QTS_FreeCString(this.context, start)
    return text
  }

  /** Returns 0 if the value is not a number. */
  readNumber(value: Pointer): number {
    const tag = this.#tag(value)
    const isNumber = tag === TAG.int || tag > TAG.last || tag < TAG.first
    return isNumber ? this.#engine.native._QTS_GetFloat64(this.context, value) : 0
  }

  readBoolean(value: Pointer): boolean {
    return this.#tag(value) === TAG.bool && this.#tags[value >> 2] === 1
  }

  /**
   * Calls `read` with a part of an ArrayBuffer, without copying. `read` must not store the view or call into the guest.
   * @throws RangeError if the range is out of bounds, for example because the buffer was detached or shrunk; other
   * memory is never read
   */
  readBytes<T>(value: Pointer, offset: number, length: number, read: (part: Uint8Array) => T): T {
    if (length === 0) return read(new Uint8Array(0))
    const { native, bytes, words } = this.#engine
    const isObject = this.#tag(value) === TAG.object
    const whole = isObject ? native._QTS_GetArrayBufferLength(this.context, value) : 0
    const isThere =
      Number.isInteger(offset) && offset >= 0 && length > 0 && offset + length <= whole
    if (!isThere) throw new RangeError('the bytes are not accessible; the buffer may be detached')
    const buffer = words[((words[value >> 2] ?? 0) + this.#layout.buffer) >> 2] ?? 0
    const data = words[(buffer + this.#layout.data) >> 2] ?? 0
    return read(bytes.subarray(data + offset, data + offset + length))
  }

  #tag(value: Pointer): number {
    return this.#tags[(value >> 2) + 1] ?? 0
  }
}
