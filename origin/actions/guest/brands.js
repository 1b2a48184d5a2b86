/* What kind an object is by what the engine's own functions say of it, whatever its prototype and tag say. */
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

  /* What a function of the engine says about an object of its kind; undefined for another kind. */
  const asked = (method, value) => {
    try {
      return method(value)
    } catch {
      return undefined
    }
  }

  return {
    /* By name; these have no prototype, on which another name might find something. */
    typedArrays,
    errors,
    isDetached,
    isMap: (value) => asked(mapSize, value) !== undefined,
    isSet: (value) => asked(setSize, value) !== undefined,
    /* Milliseconds of a Date; undefined for what is none, as in the next two. */
    timeOf: (value) => asked(timeOf, value),
    patternOf(value) {
      if (asked(isGlobal, value) === undefined) return undefined
      return { source: sourceOf(value), flags: flagsOf(value) }
    },
    /* What an object around a primitive value is around. */
    primitiveOf(value) {
      for (let at = 0; at < primitives.length; at++) {
        const primitive = asked(primitives[at], value)
        if (primitive !== undefined) return primitive
      }
      return undefined
    },
  }
}
