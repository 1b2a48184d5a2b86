/*
 * Prepares the input of signing operations. Values are written as JSON without JSON.stringify, which would call toJSON
 * methods and cannot represent a BigInt. The process that signs validates the input again, because an action may have
 * prepared it.
 */
export default function signing(host, base, { text }) {
  const { String, Uint8Array, isArray, isFinite, keys, span, stringify, trunc } = base
  const { toWellFormed, typedName } = base

  /* Deeper than any typed data. The limit also ends the traversal of a cycle. */
  const DEPTH_MAX = 64

  const isBytes = (value) => {
    const name = typedName(value)
    return name === 'Uint8Array' || name === 'Uint8ClampedArray'
  }

  const hexOf = (bytes) => {
    const { buffer, offset, length } = span(bytes)
    return host.hexOf(buffer, offset, length)
  }

  const typeOf = (value) => {
    if (typeof value === 'number') return String(value)
    return value === undefined ? 'undefined' : 'a ' + typeof value
  }

  return {
    /*
     * Converts a Uint8Array or an array of numbers to 0x hex.
     * @returns undefined for other values and for more than `max` bytes
     */
    bytesToHex(value, max) {
      if (isBytes(value)) return span(value).length > max ? undefined : hexOf(value)
      if (!isArray(value)) return undefined
      const { length } = value
      if (length > max) return undefined
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at++) {
        const byte = value[at]
        if (typeof byte !== 'number' || trunc(byte) !== byte || byte < 0 || byte > 255) {
          return undefined
        }
        bytes[at] = byte
      }
      return hexOf(bytes)
    },

    /*
     * Converts a text to the 0x hex of its UTF-8 encoding.
     * @returns undefined for a text with a lone surrogate or more than `max` bytes
     */
    textToHex(value, max) {
      if (value.length > max || toWellFormed(value) !== value) return undefined
      const bytes = text.encode(value)
      return span(bytes).length > max ? undefined : hexOf(bytes)
    },

    /*
     * Writes a value as JSON, without members that are undefined. A BigInt and a BigNumber of ethers become strings, and
     * bytes become 0x hex.
     * @param root name of the value in errors, or '' if the names of its members are enough
     * @param fail throws an error with a message
     */
    toJson(value, root, max, fail) {
      let written = ''
      const write = (piece) => {
        written += piece
        if (written.length > max) {
          fail((root || 'the input') + ' has more than ' + String(max) + ' characters of JSON')
        }
      }
      const writeList = (list, path, depth) => {
        const { length } = list
        write('[')
        for (let at = 0; at < length; at++) {
          if (at > 0) write(',')
          writeValue(list[at], path + '[' + String(at) + ']', depth)
        }
        write(']')
      }
      const writeObject = (object, path, depth) => {
        const names = keys(object)
        let before = '{'
        for (let at = 0; at < names.length; at++) {
          const name = names[at]
          const member = object[name]
          if (member === undefined) continue
          write(before + stringify(name) + ':')
          writeValue(member, path ? path + '.' + name : name, depth)
          before = ','
        }
        write(before === '{' ? '{}' : '}')
      }
      const writeValue = (item, path, depth) => {
        /* A huge text is not converted. */
        if (typeof item === 'string') return write(item.length > max ? item : stringify(item))
        if (typeof item === 'boolean' || item === null) return write(String(item))
        if (typeof item === 'bigint') return write('"' + String(item) + '"')
        if (typeof item === 'number' && isFinite(item)) return write(String(item))
        if (typeof item !== 'object') fail(path + ' is ' + typeOf(item))
        if (isBytes(item)) {
          if (span(item).length > max) fail(path + ' has more than ' + String(max) + ' bytes')
          return write('"' + hexOf(item) + '"')
        }
        if (item._isBigNumber === true) {
          const hex = item._hex
          if (typeof hex === 'string') return writeValue(hex, path, depth)
        }
        if (depth === DEPTH_MAX) {
          fail(path + ' is nested in more than ' + String(DEPTH_MAX) + ' levels, or in a cycle')
        }
        if (isArray(item)) writeList(item, path, depth + 1)
        else writeObject(item, path, depth + 1)
      }
      writeValue(value, root, 0)
      return written
    },
  }
}
