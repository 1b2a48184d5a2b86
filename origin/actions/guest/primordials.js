/* oxlint-disable typescript/unbound-method -- detaching methods from their objects is the purpose */
/*
 * The built-ins that the prelude uses, captured before any action runs. If an action replaces JSON.stringify or
 * Map.prototype.get, for example, the prelude still uses the original function.
 */
export default function primordials() {
  const { apply, construct, ownKeys } = Reflect
  const { call } = Function.prototype
  const TYPED = Object.getPrototypeOf(Uint8Array.prototype)

  /*
   * Converts a method to a function that takes the receiver as its first argument. A bound `call` looks up no
   * properties when it is called, so actions cannot intercept it.
   */
  const uncurry = (method) => call.bind(method)
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get)

  const typedBuffer = getter(TYPED, 'buffer')
  const typedOffset = getter(TYPED, 'byteOffset')
  const typedLength = getter(TYPED, 'byteLength')
  const typedName = getter(TYPED, Symbol.toStringTag)
  const viewBuffer = getter(DataView.prototype, 'buffer')
  const viewOffset = getter(DataView.prototype, 'byteOffset')
  const viewLength = getter(DataView.prototype, 'byteLength')
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength')
  const exec = uncurry(RegExp.prototype.exec)
  const { isView } = ArrayBuffer

  /*
   * Returns the buffer, offset and length of a typed array, ignoring properties that an action has defined on the
   * array.
   */
  const span = (view) => ({
    buffer: typedBuffer(view),
    offset: typedOffset(view),
    length: typedLength(view),
  })

  const isBuffer = (value) => {
    try {
      return bufferLength(value) >= 0
    } catch {
      return false
    }
  }

  /*
   * SharedArrayBuffer is removed. The sandbox has no threads, and a growing shared buffer exposes previous contents of
   * memory.
   */
  delete globalThis.SharedArrayBuffer

  return Object.freeze({
    apply,
    construct,
    ownKeys,
    uncurry,
    getter,
    String,
    Number,
    Boolean,
    BigInt,
    Object,
    Promise,
    Error,
    TypeError,
    RangeError,
    Map,
    Set,
    WeakMap,
    Date,
    RegExp,
    ArrayBuffer,
    DataView,
    Uint8Array,
    span,
    /* Returns the buffer, offset and length of any view or ArrayBuffer, or undefined for any other value. */
    spanOf(value) {
      if (isView(value)) {
        if (typedName(value) !== undefined) return span(value)
        return { buffer: viewBuffer(value), offset: viewOffset(value), length: viewLength(value) }
      }
      return isBuffer(value) ? { buffer: value, offset: 0, length: bufferLength(value) } : undefined
    },
    /* Returns the class name of a typed array, such as 'Uint8Array', or undefined for any other value. */
    typedName,
    isBuffer,
    bufferLength,
    isView,
    isArray: Array.isArray,
    keys: Object.keys,
    isFinite: Number.isFinite,
    isError: Error.isError,
    freeze: Object.freeze,
    define: Object.defineProperty,
    descriptorOf: Object.getOwnPropertyDescriptor,
    prototypeOf: Object.getPrototypeOf,
    setPrototypeOf: Object.setPrototypeOf,
    shown: uncurry(Object.prototype.toString),
    parse: JSON.parse,
    stringify: JSON.stringify,
    slice: uncurry(String.prototype.slice),
    charCodeAt: uncurry(String.prototype.charCodeAt),
    indexOf: uncurry(String.prototype.indexOf),
    toLowerCase: uncurry(String.prototype.toLowerCase),
    toUpperCase: uncurry(String.prototype.toUpperCase),
    toWellFormed: uncurry(String.prototype.toWellFormed),
    padStart: uncurry(String.prototype.padStart),
    inBase: uncurry(Number.prototype.toString),
    /* Replaces RegExp.prototype.test, which would call an `exec` method that an action may have replaced. */
    test: (expression, text) => exec(expression, text) !== null,
    sort: uncurry(Array.prototype.sort),
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapHas: uncurry(Map.prototype.has),
    mapDelete: uncurry(Map.prototype.delete),
    mapForEach: uncurry(Map.prototype.forEach),
    setAdd: uncurry(Set.prototype.add),
    setForEach: uncurry(Set.prototype.forEach),
    weakGet: uncurry(WeakMap.prototype.get),
    weakSet: uncurry(WeakMap.prototype.set),
    setBytes: uncurry(Uint8Array.prototype.set),
    now: Date.now,
    floor: Math.floor,
    min: Math.min,
    trunc: Math.trunc,
  })
}
