/* Determines the actual type of an object by calling built-in methods on it, regardless of its prototype and tag. */
export default function brands(_host, base) {
  const { Boolean, BigInt, Date, Map, Number, RegExp, Set, String, getter, uncurry } = base
  const typedArrays = {
    __proto__: null,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float16Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  }
  const errors = {
    __proto__: null,
    Error,
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
  }
  const isDetached = getter(ArrayBuffer.prototype, 'detached')
  const mapSize = getter(Map.prototype, 'size')
  const setSize = getter(Set.prototype, 'size')
  const sourceOf = getter(RegExp.prototype, 'source')
  const flagsOf = getter(RegExp.prototype, 'flags')
  const isGlobal = getter(RegExp.prototype, 'global')
  const timeOf = uncurry(Date.prototype.getTime)
  const primitives = [Boolean, Number, String, BigInt].map((Class) =>
    uncurry(Class.prototype.valueOf),
  )

  /*
   * Calls a built-in method on an object. Returns undefined if the method throws because the object has another type.
   */
  const asked = (method, value) => {
    try {
      return method(value)
    } catch {
      return undefined
    }
  }

  return {
    /* Constructors by name. The objects have no prototype, so that lookups find only these names. */
    typedArrays,
    errors,
    isDetached,
    isMap: (value) => asked(mapSize, value) !== undefined,
    isSet: (value) => asked(setSize, value) !== undefined,
    /* Returns the time of a Date in milliseconds, or undefined for an object of another type. */
    timeOf: (value) => asked(timeOf, value),
    patternOf(value) {
      if (asked(isGlobal, value) === undefined) return undefined
      return { source: sourceOf(value), flags: flagsOf(value) }
    },
    /* Returns the primitive value of a wrapper object, or undefined for an object of another type. */
    primitiveOf(value) {
      for (let at = 0; at < primitives.length; at++) {
        const primitive = asked(primitives[at], value)
        if (primitive !== undefined) return primitive
      }
      return undefined
    },
  }
}
