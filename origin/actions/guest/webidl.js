/* Web IDL conversions of arguments to strings, pairs and bytes, and the standard properties of Web IDL interfaces. */
export default function webidl(_host, base) {
  const { Map, String, TypeError, Uint8Array, apply, define, descriptorOf, ownKeys, spanOf } = base
  const { mapGet, mapSet, setBytes, span, test, toWellFormed } = base
  const { iterator, toStringTag } = Symbol
  const prototypes = new Map()
  const beyondLatin1 = /[\u0100-\uffff]/

  const isObject = (value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'

  /*
   * Converts a value to a string. Rejects symbols, which String() would accept. The prelude does not use template
   * literals, because the engine evaluates them with String.prototype.concat, which an action may have replaced.
   */
  const string = (value) => {
    if (typeof value === 'symbol') throw new TypeError('a symbol is no text')
    return String(value)
  }

  const usvString = (value) => toWellFormed(string(value))

  const byteString = (value) => {
    const text = string(value)
    if (test(beyondLatin1, text)) throw new TypeError('the text has characters outside Latin-1')
    return text
  }

  /* This may run an iterator that is defined by the action. */
  const forEachOf = (iterable, method, visit) => {
    const items = apply(method, iterable, [])
    const { next } = items
    for (;;) {
      const step = apply(next, items, [])
      if (!isObject(step)) throw new TypeError('the iterator returned what is no object')
      if (step.done) return
      visit(step.value)
    }
  }

  /*
   * Calls `visit` with each item of a sequence. Does not create an array, because an action could intercept assignments
   * to its elements.
   */
  const each = (value, visit) => {
    const method = isObject(value) ? value[iterator] : undefined
    if (typeof method !== 'function') throw new TypeError('expected a sequence')
    forEachOf(value, method, visit)
  }

  const sequence = (value) => {
    const list = []
    each(value, (item) => {
      list[list.length] = item
    })
    return list
  }

  const pairsOfSequence = (init, method, convert) => {
    const pairs = []
    forEachOf(init, method, (item) => {
      const pair = sequence(item)
      if (pair.length !== 2) throw new TypeError('expected pairs of a name and a value')
      pairs[pairs.length] = [convert(pair[0]), convert(pair[1])]
    })
    return pairs
  }

  const pairsOfRecord = (init, convert) => {
    const pairs = []
    const places = new Map()
    const keys = ownKeys(init)
    for (let at = 0; at < keys.length; at++) {
      const descriptor = descriptorOf(init, keys[at])
      if (descriptor === undefined || !descriptor.enumerable) continue
      const name = convert(keys[at])
      const value = convert(init[keys[at]])
      const place = mapGet(places, name) ?? pairs.length
      mapSet(places, name, place)
      pairs[place] = [name, value]
    }
    return pairs
  }

  return {
    isObject,
    string,
    usvString,
    byteString,
    each,
    sequence,

    /* Converts a Web IDL sequence<sequence<T>> or record<T, T> to a list of pairs. */
    pairs(init, convert) {
      const method = init[iterator]
      return method === undefined || method === null
        ? pairsOfRecord(init, convert)
        : pairsOfSequence(init, method, convert)
    },

    dictionary(value, what) {
      if (value === undefined || value === null) return {}
      if (!isObject(value)) throw new TypeError(what + ': expected an object of options')
      return value
    },

    /* Returns the location of a BufferSource's bytes: {buffer, offset, length}. */
    bytes(value, what) {
      const found = spanOf(value)
      if (found === undefined) throw new TypeError(what + ': expected an ArrayBuffer or a view')
      return found
    },

    copy(buffer, offset, length) {
      const own = new Uint8Array(length)
      setBytes(own, new Uint8Array(buffer, offset, length))
      return own
    },

    /*
     * Prepares bytes for passing to the host. If they are less than half of their buffer, they are copied to a smaller
     * one.
     */
    compact(part) {
      const { buffer, offset, length } = part
      if (length * 2 >= base.bufferLength(buffer)) return part
      return span(this.copy(buffer, offset, length))
    },

    /* Returns true if the value is an instance of a Web IDL interface. */
    isPlatform(value) {
      let prototype = base.prototypeOf(value)
      while (prototype !== null) {
        if (base.mapHas(prototypes, prototype)) return true
        prototype = base.prototypeOf(prototype)
      }
      return false
    },

    required(given, needed, what) {
      if (given >= needed) return
      throw new TypeError(
        what + ': ' + needed + ' argument' + (needed > 1 ? 's' : '') + ' required',
      )
    },

    /*
     * Makes the members of a class enumerable, as Web IDL requires, and defines the class on the global object. Must be
     * called only while the prelude is loading.
     */
    expose(Class) {
      for (const target of [Class, Class.prototype]) {
        for (const key of ownKeys(target)) {
          const isMember = !['constructor', 'prototype', 'name', 'length'].includes(key)
          if (typeof key === 'string' && isMember) define(target, key, { enumerable: true })
        }
      }
      mapSet(prototypes, Class.prototype, true)
      define(Class.prototype, toStringTag, { value: Class.name, configurable: true })
      define(globalThis, Class.name, { value: Class, writable: true, configurable: true })
      return Class
    },
  }
}
