/* oxlint-disable typescript/no-useless-default-assignment -- the defaults set each function's standard length */
/* URLSearchParams (URL standard). The guest stores the list of pairs; the host parses and serializes it. */
export default function query(host, base, { iterators, webidl }) {
  const { parse, stringify, slice, indexOf, min, sort } = base
  const { usvString } = webidl
  /*
   * Number of characters that one host call parses or serializes. It is limited because the host needs many times that
   * memory.
   */
  const PIECE = 64 * 1024
  let isParams, link, load, write

  /* @param text the query without its question mark */
  const parsed = (text) => {
    const list = []
    for (let at = 0; at < text.length;) {
      let end = min(at + PIECE, text.length)
      if (end < text.length) end = indexOf(text, '&', end)
      if (end < 0) end = text.length
      const pairs = parse(host.parseQuery(stringify(slice(text, at, end))))
      for (let from = 0; from < pairs.length; from++) list[list.length] = pairs[from]
      at = end + 1
    }
    return list
  }

  /*
   * The JSON for the host is assembled by hand, because JSON.stringify would call a toJSON method that an action has
   * defined on Array.prototype.
   */
  const written = (list) => {
    let text = ''
    let json = ''
    for (let at = 0; at < list.length; at++) {
      json +=
        (json === '' ? '' : ',') + '[' + stringify(list[at][0]) + ',' + stringify(list[at][1]) + ']'
      if (json.length < PIECE && at + 1 < list.length) continue
      text += (text === '' ? '' : '&') + host.writeQuery('[' + json + ']')
      json = ''
    }
    return text
  }

  class URLSearchParams {
    #list = []
    /* Callback that updates the query of the owning URL after each change; undefined if no URL owns these params. */
    #changed = undefined

    constructor(init = '') {
      if (webidl.isObject(init)) {
        this.#list = #list in init ? this.#copy(init.#list) : webidl.pairs(init, usvString)
      } else {
        const text = usvString(init)
        this.#list = parsed(text[0] === '?' ? slice(text, 1) : text)
      }
    }

    #copy(from) {
      const list = []
      for (let at = 0; at < from.length; at++) list[at] = [from[at][0], from[at][1]]
      return list
    }

    #replace(list) {
      this.#list = list
      if (this.#changed !== undefined) this.#changed(written(list))
    }

    get size() {
      return this.#list.length
    }

    append(name, value) {
      webidl.required(arguments.length, 2, 'URLSearchParams.append')
      const list = this.#list
      list[list.length] = [usvString(name), usvString(value)]
      this.#replace(list)
    }

    delete(name, value = undefined) {
      webidl.required(arguments.length, 1, 'URLSearchParams.delete')
      const wanted = usvString(name)
      const only = value === undefined ? undefined : usvString(value)
      this.#replace(
        this.#without((pair) => pair[0] === wanted && (only === undefined || pair[1] === only)),
      )
    }

    #without(isGone) {
      const kept = []
      for (let at = 0; at < this.#list.length; at++) {
        if (!isGone(this.#list[at])) kept[kept.length] = this.#list[at]
      }
      return kept
    }

    get(name) {
      webidl.required(arguments.length, 1, 'URLSearchParams.get')
      const found = this.#values(usvString(name))
      return found.length === 0 ? null : found[0]
    }

    getAll(name) {
      webidl.required(arguments.length, 1, 'URLSearchParams.getAll')
      return this.#values(usvString(name))
    }

    #values(name) {
      const found = []
      for (let at = 0; at < this.#list.length; at++) {
        if (this.#list[at][0] === name) found[found.length] = this.#list[at][1]
      }
      return found
    }

    has(name, value = undefined) {
      webidl.required(arguments.length, 1, 'URLSearchParams.has')
      const wanted = usvString(name)
      const only = value === undefined ? undefined : usvString(value)
      const found = this.#values(wanted)
      for (let at = 0; at < found.length; at++) {
        if (only === undefined || found[at] === only) return true
      }
      return false
    }

    set(name, value) {
      webidl.required(arguments.length, 2, 'URLSearchParams.set')
      const wanted = usvString(name)
      const text = usvString(value)
      let isSet = false
      const list = this.#without((pair) => {
        if (pair[0] !== wanted) return false
        if (isSet) return true
        isSet = true
        pair[1] = text
        return false
      })
      if (!isSet) list[list.length] = [wanted, text]
      this.#replace(list)
    }

    sort() {
      /* Sorts by the code units of the names. Pairs with equal names keep their order. */
      this.#replace(sort(this.#list, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)))
    }

    toString() {
      return written(this.#list)
    }

    static {
      iterators.install(URLSearchParams, (params) => params.#list)
      isParams = (value) => webidl.isObject(value) && #list in value
      write = (params) => written(params.#list)
      link = (changed) => {
        const params = new URLSearchParams()
        params.#changed = changed
        return params
      }
      load = (params, text) => {
        params.#list = parsed(text)
      }
    }
  }

  webidl.expose(URLSearchParams)
  return {
    isParams,
    /* Serializes params as application/x-www-form-urlencoded. */
    write,
    /* Creates the params of a URL, which report each change to it. */
    link,
    /* Replaces the pairs of a URL's params without reporting a change. */
    load,
  }
}
