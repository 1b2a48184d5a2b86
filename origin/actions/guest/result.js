/*
 * Converts a returned value to JSON text. Functions and undefined are omitted from objects, as in JSON.stringify. A
 * value for which JSON.stringify would throw or return nothing, and a number that would become null, cause an error
 * that names the path of the value.
 */
export default function result(host, base, { errors }) {
  const {
    apply,
    stringify,
    isArray,
    isFinite,
    indexOf,
    test,
    uncurry,
    prototypeOf,
    Number,
    String,
  } = base
  const identifier = /^[A-Za-z_$][\w$]*$/
  const numberOf = uncurry(Number.prototype.valueOf)

  const step = (holder, key) => {
    if (isArray(holder)) return '[' + key + ']'
    return test(identifier, key) ? '.' + key : '[' + stringify(key) + ']'
  }

  /*
   * Returns the number that JSON.stringify would write for a number or Number object, or undefined for any other value.
   */
  const writtenNumber = (item) => {
    if (typeof item === 'number') return item
    if (typeof item !== 'object' || item === null) return undefined
    try {
      return prototypeOf(item) === Number.prototype ? numberOf(item) : undefined
    } catch {
      return undefined
    }
  }

  /*
   * Traverses a value exactly as JSON.stringify does, including calls of toJSON. Describes the first part that JSON
   * cannot represent, or returns '' if there is none.
   */
  const obstacle = (value) => {
    const holders = []
    const keys = []
    let depth = 0
    let found = ''
    const report = (what) => {
      if (found) return
      found = 'response'
      for (let at = 1; at <= depth; at++) found += step(holders[at - 1], keys[at])
      found += what
    }
    const visit = function (key, item) {
      if (depth > 0) {
        while (depth > 1 && holders[depth - 1] !== this) depth--
        keys[depth] = key
      }
      if (typeof item === 'bigint') {
        report(' is a BigInt; JSON cannot carry it, return a string')
        return undefined
      }
      const number = writtenNumber(item)
      if (number !== undefined && !isFinite(number)) {
        report(' is ' + String(number) + '; JSON cannot carry it, return null or a string')
        return undefined
      }
      if (typeof item !== 'object' || item === null) return item
      for (let at = 0; at < depth; at++) {
        if (holders[at] === item) {
          report(' refers to an object that contains it; JSON cannot carry a cycle')
          return undefined
        }
      }
      holders[depth++] = item
      return found ? undefined : item
    }
    stringify(value, visit)
    return found
  }

  const refuse = (value) => {
    const found = apply(obstacle, undefined, [value])
    if (found) throw errors.coded('result_not_json', found)
  }

  return {
    toJson(value) {
      if (value === undefined) return 'null'
      let text
      let failure
      try {
        text = stringify(value)
      } catch (error) {
        failure = error
      }
      if (typeof text === 'string') {
        if (text.length > host.resultMaxBytes) {
          throw errors.coded(
            'result_too_large',
            'the returned value is ' +
              String(text.length) +
              ' characters of JSON; the limit is ' +
              String(host.resultMaxBytes) +
              ' bytes',
          )
        }
        /* JSON.stringify writes non-finite numbers as null, so a value with null is checked. */
        if (indexOf(text, 'null') >= 0) refuse(value)
        return text
      }
      if (failure === undefined) {
        const what =
          typeof value === 'object' ? 'an object whose toJSON returns nothing' : 'a ' + typeof value
        throw errors.coded('result_not_json', 'response is ' + what + '; JSON cannot carry it')
      }
      refuse(value)
      throw failure
    },
  }
}
