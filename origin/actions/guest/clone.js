/*
 * structuredClone (HTML standard), for the built-in types of JavaScript. The only Web IDL interface that can be cloned
 * is DOMException.
 */
export default function clone(_host, base, { brands, exceptions, webidl }) {
  const { DataView, Date, Error, Map, Object, RegExp, Set, String, construct, define } = base
  const { descriptorOf, indexOf, isArray, isBuffer, isError, isView, mapForEach, mapGet } = base
  const { mapHas, mapSet, ownKeys, prototypeOf, setAdd, setForEach, shown, slice, spanOf } = base
  const { typedName, uncurry } = base
  const { DOMException } = exceptions
  const objectPrototype = Object.prototype
  const transferOf = uncurry(ArrayBuffer.prototype.transfer)
  /* Names of types that cannot be cloned, compared with the `Symbol.toStringTag` of the prototype. */
  const REFUSED =
    ' Promise WeakMap WeakSet WeakRef FinalizationRegistry Generator AsyncGenerator SharedArrayBuffer '

  const refuse = (what) => {
    throw new DOMException('structuredClone: ' + what + ' cannot be cloned', 'DataCloneError')
  }

  const add = (object, key, value) => {
    define(object, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }

  const cloneBytes = (value, seen) => {
    if (isBuffer(value)) {
      if (brands.isDetached(value)) refuse('a detached ArrayBuffer')
      const { buffer, offset, length } = spanOf(value)
      return spanOf(webidl.copy(buffer, offset, length)).buffer
    }
    const { buffer, offset, length } = spanOf(value)
    const own = cloneAny(buffer, seen)
    const name = typedName(value)
    if (name === undefined) return new DataView(own, offset, length)
    const Typed = brands.typedArrays[name]
    return construct(Typed, [own, offset, length / Typed.BYTES_PER_ELEMENT])
  }

  const cloneError = (value, seen) => {
    const Class = brands.errors[webidl.string(value.name)] ?? Error
    const made = new Class('')
    delete made.message
    const own = (key, content) =>
      define(made, key, { __proto__: null, value: content, writable: true, configurable: true })
    const message = descriptorOf(value, 'message')
    if (message !== undefined && 'value' in message) own('message', webidl.string(message.value))
    const stack = descriptorOf(value, 'stack')
    own('stack', stack !== undefined && typeof stack.value === 'string' ? stack.value : '')
    const cause = descriptorOf(value, 'cause')
    if (cause !== undefined) own('cause', cloneAny(value.cause, seen))
    return made
  }

  const isPlain = (value) => {
    const prototype = prototypeOf(value)
    return prototype === objectPrototype || prototype === null
  }

  const cloneMembers = (value, made, seen) => {
    const keys = ownKeys(value)
    for (let at = 0; at < keys.length; at++) {
      if (typeof keys[at] !== 'string' || (keys[at] === 'length' && isArray(value))) continue
      const descriptor = descriptorOf(value, keys[at])
      if (descriptor === undefined || !descriptor.enumerable) continue
      add(made, keys[at], cloneAny(value[keys[at]], seen))
    }
    return made
  }

  const remember = (seen, value, made) => {
    mapSet(seen, value, made)
    return made
  }

  /* Clone functions by type name. Each one returns undefined if the object has another type. */
  const kinds = {
    __proto__: null,
    Map: (value, seen) => (brands.isMap(value) ? cloneMap(value, seen) : undefined),
    Set: (value, seen) => (brands.isSet(value) ? cloneSet(value, seen) : undefined),
    Date(value, seen) {
      const time = brands.timeOf(value)
      return time === undefined ? undefined : remember(seen, value, new Date(time))
    },
    RegExp(value, seen) {
      const pattern = brands.patternOf(value)
      if (pattern === undefined) return undefined
      return remember(seen, value, new RegExp(pattern.source, pattern.flags))
    },
    ArrayBuffer: (value, seen) =>
      isBuffer(value) ? remember(seen, value, cloneBytes(value, seen)) : undefined,
    Primitive(value, seen) {
      const primitive = brands.primitiveOf(value)
      return primitive === undefined ? undefined : remember(seen, value, Object(primitive))
    },
  }
  const KINDS = ['Map', 'Set', 'Date', 'RegExp', 'ArrayBuffer', 'Primitive']

  const cloneSpecial = (value, seen) => {
    if (isView(value)) return remember(seen, value, cloneBytes(value, seen))
    if (exceptions.is(value)) {
      return remember(seen, value, new DOMException(value.message, value.name))
    }
    if (isError(value)) return remember(seen, value, cloneError(value, seen))
    const name = slice(shown(value), 8, -1)
    /* Tries the type given by the object's tag first, because each wrong attempt costs an exception. */
    const likely = kinds[name]?.(value, seen)
    if (likely !== undefined) return likely
    for (let at = 0; at < KINDS.length; at++) {
      const found = kinds[KINDS[at]](value, seen)
      if (found !== undefined) return found
    }
    if (webidl.isPlatform(value) || indexOf(REFUSED, ' ' + name + ' ') >= 0) refuse('a ' + name)
    return undefined
  }

  const cloneMap = (value, seen) => {
    const made = remember(seen, value, new Map())
    const entries = []
    mapForEach(value, (item, key) => {
      entries[entries.length] = [key, item]
    })
    for (let at = 0; at < entries.length; at++) {
      mapSet(made, cloneAny(entries[at][0], seen), cloneAny(entries[at][1], seen))
    }
    return made
  }

  const cloneSet = (value, seen) => {
    const made = remember(seen, value, new Set())
    const items = []
    setForEach(value, (item) => {
      items[items.length] = item
    })
    for (let at = 0; at < items.length; at++) setAdd(made, cloneAny(items[at], seen))
    return made
  }

  const cloneAny = (value, seen) => {
    if (typeof value === 'symbol') refuse(String(value))
    if (typeof value === 'function') refuse('a function')
    if (!webidl.isObject(value)) return value
    if (mapHas(seen, value)) return mapGet(seen, value)
    if (isArray(value)) {
      const made = remember(seen, value, [])
      made.length = value.length
      return cloneMembers(value, made, seen)
    }
    const special = isPlain(value) ? undefined : cloneSpecial(value, seen)
    return special ?? cloneMembers(value, remember(seen, value, {}), seen)
  }

  const buffersOf = (options) => {
    const { transfer } = webidl.dictionary(options, 'structuredClone')
    const list = transfer === undefined ? [] : webidl.sequence(transfer)
    const once = new Map()
    for (let at = 0; at < list.length; at++) {
      const isGood = isBuffer(list[at]) && !brands.isDetached(list[at]) && !mapHas(once, list[at])
      if (!isGood) refuse('what is to be transferred')
      mapSet(once, list[at], true)
    }
    return list
  }

  const structuredClone = function structuredClone(value, options = {}) {
    webidl.required(arguments.length, 1, 'structuredClone')
    const transferred = buffersOf(options)
    const made = cloneAny(value, new Map())
    for (let at = 0; at < transferred.length; at++) transferOf(transferred[at])
    return made
  }

  define(globalThis, 'structuredClone', {
    value: structuredClone,
    writable: true,
    configurable: true,
  })
}
