/* oxlint-disable typescript/no-useless-default-assignment -- the defaults set each function's standard length */
/* URL (URL standard). The host parses and serializes URLs. The guest caches the parts until one of them is changed. */
export default function url(host, base, { query, webidl }) {
  const { TypeError, define, parse, slice, stringify } = base
  const { usvString } = webidl
  /* Maximum length of a URL in characters. Browsers allow up to two million. */
  const CHARACTERS_MAX = 1024 * 1024
  /* Names of the URL parts, in the order in which the host returns them. */
  const PARTS = [
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ]
  const HREF = 0
  const ORIGIN = 1
  const SEARCH = 9

  /* Parses a URL. Returns its parts, or undefined if the input is not a valid URL. */
  const parsed = (input, from) => {
    if (input.length > CHARACTERS_MAX) return undefined
    if (from !== undefined && from.length > CHARACTERS_MAX) return undefined
    const json = host.parseUrl(stringify(input), stringify(from ?? ''), from !== undefined)
    return json === '' ? undefined : parse(json)
  }

  const argumentsOf = (input, from) => {
    const text = usvString(input)
    return parsed(text, from === undefined ? undefined : usvString(from))
  }

  let read, write, paramsOf

  class URL {
    #parts
    #params = undefined

    constructor(input, from = undefined) {
      webidl.required(arguments.length, 1, 'URL')
      this.#parts = argumentsOf(input, from)
      if (this.#parts === undefined) throw new TypeError('Invalid URL')
    }

    get searchParams() {
      return paramsOf(this)
    }

    toString() {
      return this.#parts[HREF]
    }

    toJSON() {
      return this.#parts[HREF]
    }

    static canParse(input, from = undefined) {
      webidl.required(arguments.length, 1, 'URL.canParse')
      return argumentsOf(input, from) !== undefined
    }

    static parse(input, from = undefined) {
      webidl.required(arguments.length, 1, 'URL.parse')
      const parts = argumentsOf(input, from)
      if (parts === undefined) return null
      const made = new URL('about:blank')
      made.#parts = parts
      return made
    }

    static {
      read = (object, part) => object.#parts[part]

      write = (object, part, value) => {
        const text = usvString(value)
        const before = object.#parts
        if (text.length > CHARACTERS_MAX) throw new TypeError('Invalid URL')
        const json = host.changeUrl(before[HREF], PARTS[part], stringify(text))
        if (json === '') throw new TypeError('Invalid URL')
        object.#parts = parse(json)
        if (object.#params !== undefined && (part === HREF || part === SEARCH)) {
          query.load(object.#params, slice(object.#parts[SEARCH], 1))
        }
      }

      paramsOf = (object) => {
        const { [SEARCH]: search } = object.#parts
        if (object.#params === undefined) {
          object.#params = query.link((text) => {
            const json = host.changeUrl(object.#parts[HREF], 'search', stringify(text))
            if (json !== '') object.#parts = parse(json)
          })
          query.load(object.#params, slice(search, 1))
        }
        return object.#params
      }
    }
  }

  for (const [at, name] of PARTS.entries()) {
    const accessor = {
      get [name]() {
        return read(this, at)
      },
      set [name](value) {
        write(this, at, value)
      },
    }
    const descriptor = base.descriptorOf(accessor, name)
    if (at === ORIGIN) descriptor.set = undefined
    define(URL.prototype, name, descriptor)
  }
  webidl.expose(URL)

  return {
    /* Parses a URL for fetch. Returns the parts that a request needs, or undefined if the input is not a valid URL. */
    parse: (input) => {
      const parts = parsed(usvString(input), undefined)
      if (parts === undefined) return undefined
      return { href: parts[HREF], username: parts[3], password: parts[4], hash: parts[10] }
    },
  }
}
