/* oxlint-disable typescript/unbound-method -- taking them apart from their objects is the purpose */
/* The built-ins that the prelude uses, taken before any action runs: an action that replaces
   JSON.stringify or Map.prototype.get changes its own view, and the prelude goes on working. */
export default function primordials() {
  const { apply } = Reflect
  const TYPED = Object.getPrototypeOf(Uint8Array.prototype)
  const uncurry =
    (method) =>
    (self, ...rest) =>
      apply(method, self, rest)

  const { get: bufferOf } = Object.getOwnPropertyDescriptor(TYPED, 'buffer')
  const { get: offsetOf } = Object.getOwnPropertyDescriptor(TYPED, 'byteOffset')
  const { get: lengthOf } = Object.getOwnPropertyDescriptor(TYPED, 'byteLength')

  return Object.freeze({
    /* Where a typed array's bytes are; what an action put on the array itself is not asked. */
    span: (view) => ({
      buffer: apply(bufferOf, view, []),
      offset: apply(offsetOf, view, []),
      length: apply(lengthOf, view, []),
    }),
    apply,
    String,
    Number,
    Promise,
    Error,
    TypeError,
    RangeError,
    Map,
    WeakMap,
    Uint8Array,
    isView: ArrayBuffer.isView,
    isArray: Array.isArray,
    freeze: Object.freeze,
    define: Object.defineProperty,
    parse: JSON.parse,
    stringify: JSON.stringify,
    slice: uncurry(String.prototype.slice),
    charCodeAt: uncurry(String.prototype.charCodeAt),
    indexOf: uncurry(String.prototype.indexOf),
    test: uncurry(RegExp.prototype.test),
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapDelete: uncurry(Map.prototype.delete),
    weakGet: uncurry(WeakMap.prototype.get),
    weakSet: uncurry(WeakMap.prototype.set),
    fromCharCode: String.fromCharCode,
    setBytes: uncurry(Uint8Array.prototype.set),
  })
}
