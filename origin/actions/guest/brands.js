/* Determines the kind of an object with the engine's own functions, regardless of its prototype and tag. */
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

  /* Applies a function of the engine to an object. Returns undefined if the object is of another kind. */
  const asked = (method, value) => {
    try {
      return method(value)
    } catch {
      return undefined
    }
  }

  return {
    /* Constructors by name. The objects have no prototype, so that only these names are found. */
    typedArrays,
    errors,
    isDetached,
    isMap: (value) => asked(mapSize, value) !== undefined,
    isSet: (value) => asked(setSize, value) !== undefined,
    /* Returns the milliseconds of a Date. Like the next two, returns undefined for an object of another kind. */
    timeOf: (value) => asked(timeOf, value),
    patternOf(value) {
      if (asked(isGlobal, value) === undefined) return undefined
      return { source: sourceOf(value), flags: flagsOf(value) }
    },
    /* Returns the primitive value that a wrapper object contains. */
    primitiveOf(value) {
      for (let at = 0; at < primitives.length; at++) {
        const primitive = asked(primitives[at], value)
        if (primitive !== undefined) return primitive
      }
      return undefined
    },
  }
}
