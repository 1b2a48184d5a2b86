/* A returned value as JSON text. What JSON leaves out silently inside an object (a function, undefined)
   stays left out, as authors know it; what would make it throw, or leave nothing, is named by its path. */
export default function result(host, base, { errors }) {
  const { apply, stringify, isArray, test, String } = base
  const identifier = /^[A-Za-z_$][\w$]*$/

  const step = (holder, key) => {
    if (isArray(holder)) return '[' + key + ']'
    return test(identifier, key) ? '.' + key : '[' + stringify(key) + ']'
  }

  /* Walks exactly as JSON.stringify does, toJSON included, and says where it would stop. */
  const obstacle = (value) => {
    const holders = []
    const names = []
    let depth = 0
    let found = ''
    const visit = function (key, item) {
      if (depth > 0) {
        while (depth > 1 && holders[depth - 1] !== this) depth--
        names[depth] = step(this, key)
      }
      let path = 'response'
      for (let at = 1; at <= depth; at++) path += names[at]
      if (typeof item === 'bigint') {
        found ||= path + ' is a BigInt; JSON cannot carry it, return a string'
        return undefined
      }
      if (typeof item !== 'object' || item === null) return item
      for (let at = 0; at < depth; at++) {
        if (holders[at] === item) {
          found ||= path + ' refers to an object that contains it; JSON cannot carry a cycle'
          return undefined
        }
      }
      holders[depth++] = item
      return found ? undefined : item
    }
    stringify(value, visit)
    return found
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
        return text
      }
      if (failure === undefined) {
        const what =
          typeof value === 'object' ? 'an object whose toJSON returns nothing' : 'a ' + typeof value
        throw errors.coded('result_not_json', 'response is ' + what + '; JSON cannot carry it')
      }
      const found = apply(obstacle, undefined, [value])
      if (found) throw errors.coded('result_not_json', found)
      throw failure
    },
  }
}
