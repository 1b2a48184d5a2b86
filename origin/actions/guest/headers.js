/* oxlint-disable typescript/no-useless-default-assignment -- the defaults set each function's standard length */
/* Headers (Fetch standard). Stored as a list with names in lower case, in insertion order. */
export default function headers(_host, base, { iterators, webidl }) {
  const { TypeError, charCodeAt, slice, sort, test, toLowerCase } = base
  const { byteString } = webidl
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
  const forbidden = /[\0\r\n]/
  let copy, listOf, make

  const nameOf = (value, what) => {
    const name = byteString(value)
    if (!test(token, name)) throw new TypeError('Headers.' + what + ': invalid header name')
    return toLowerCase(name)
  }

  /* Returns true for tab, line feed, carriage return and space. They are trimmed from both ends of a header value. */
  const isSpace = (code) => code === 9 || code === 10 || code === 13 || code === 32

  const valueOf = (value, what) => {
    const text = byteString(value)
    let start = 0
    let end = text.length
    while (start < end && isSpace(charCodeAt(text, start))) start++
    while (end > start && isSpace(charCodeAt(text, end - 1))) end--
    const trimmed = slice(text, start, end)
    if (test(forbidden, trimmed)) throw new TypeError('Headers.' + what + ': invalid header value')
    return trimmed
  }

  /*
   * Returns the headers in iteration order: sorted by name, with the values of each name joined. Values of `set-cookie`
   * are not joined.
   */
  const walked = (list) => {
    const sorted = []
    for (let at = 0; at < list.length; at++) sorted[at] = list[at]
    sort(sorted, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
    const joined = []
    for (let at = 0; at < sorted.length; at++) {
      const name = sorted[at][0]
      const value = sorted[at][1]
      const before = joined[joined.length - 1]
      if (before !== undefined && before[0] === name && name !== 'set-cookie') {
        before[1] += ', ' + value
      } else joined[joined.length] = [name, value]
    }
    return joined
  }

  class Headers {
    #list = []
    /* True for the headers of a response from the network, which cannot be modified. */
    #immutable = false
    /* Cached list in iteration order; undefined after a change. */
    #walked = undefined

    constructor(init = undefined) {
      if (init === undefined) return
      if (!webidl.isObject(init)) throw new TypeError('Headers: expected pairs or an object')
      const pairs = #list in init ? init.#list : webidl.pairs(init, byteString)
      for (let at = 0; at < pairs.length; at++) {
        const name = nameOf(pairs[at][0], 'constructor')
        this.#add(name, valueOf(pairs[at][1], 'constructor'))
      }
    }

    #add(name, value) {
      this.#list[this.#list.length] = [name, value]
      this.#walked = undefined
    }

    #take(name) {
      const kept = []
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] !== name) kept[kept.length] = this.#list[at]
      }
      this.#list = kept
      this.#walked = undefined
    }

    #mayChange(what) {
      if (this.#immutable) throw new TypeError('Headers.' + what + ': these headers are immutable')
    }

    append(name, value) {
      webidl.required(arguments.length, 2, 'Headers.append')
      const text = valueOf(value, 'append')
      const key = nameOf(name, 'append')
      this.#mayChange('append')
      this.#add(key, text)
    }

    delete(name) {
      webidl.required(arguments.length, 1, 'Headers.delete')
      const key = nameOf(name, 'delete')
      this.#mayChange('delete')
      this.#take(key)
    }

    get(name) {
      webidl.required(arguments.length, 1, 'Headers.get')
      const key = nameOf(name, 'get')
      let found = null
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] !== key) continue
        found = found === null ? this.#list[at][1] : found + ', ' + this.#list[at][1]
      }
      return found
    }

    getSetCookie() {
      const found = []
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] === 'set-cookie') found[found.length] = this.#list[at][1]
      }
      return found
    }

    has(name) {
      webidl.required(arguments.length, 1, 'Headers.has')
      const key = nameOf(name, 'has')
      for (let at = 0; at < this.#list.length; at++) if (this.#list[at][0] === key) return true
      return false
    }

    set(name, value) {
      webidl.required(arguments.length, 2, 'Headers.set')
      const text = valueOf(value, 'set')
      const key = nameOf(name, 'set')
      this.#mayChange('set')
      this.#take(key)
      this.#add(key, text)
    }

    static {
      iterators.install(Headers, (object) => (object.#walked ??= walked(object.#list)))
      listOf = (object) => object.#list
      make = (list) => {
        const made = new Headers()
        for (let at = 0; at < list.length; at++) made.#add(toLowerCase(list[at][0]), list[at][1])
        made.#immutable = true
        return made
      }
      copy = (from) => {
        const made = new Headers(from)
        made.#immutable = from.#immutable
        return made
      }
    }
  }

  webidl.expose(Headers)
  return {
    Headers,
    /* Returns the name-value pairs of a Headers object in insertion order. */
    listOf,
    /* The host has already normalized the names and values. */
    make,
    copy,
  }
}
