/* Bodies of requests and responses (Fetch standard). A body is always buffered completely, never streamed. */
export default function body(_host, base, { query, text, webidl }) {
  const { TypeError, Uint8Array, define, parse, shown, span, spanOf } = base
  const { asyncIterator } = Symbol
  const UNSUPPORTED = 'a body may be text, URLSearchParams, an ArrayBuffer or a view; not'

  const refuseStreams = (value) => {
    const tag = shown(value)
    if (tag === '[object FormData]' || tag === '[object Blob]') {
      throw new TypeError(UNSUPPORTED + ' FormData or a Blob')
    }
    if (typeof value.getReader === 'function' || value[asyncIterator] !== undefined) {
      throw new TypeError(UNSUPPORTED + ' a stream')
    }
  }

  /* Copies bytes to a new Uint8Array, so that later changes by the action do not affect the body. */
  const copied = ({ buffer, offset, length }) => webidl.copy(buffer, offset, length)

  const take = (held) => {
    if (held === undefined) return new Uint8Array(0)
    if (held.used) throw new TypeError('the body has been read already')
    held.used = true
    return held.bytes
  }

  return {
    /*
     * Converts a BodyInit value to {bytes, type, used}: a copy of its bytes, and its default content type, if any.
     * Returns undefined for null and undefined.
     */
    extract(value) {
      if (value === null || value === undefined) return undefined
      if (query.isParams(value)) {
        const type = 'application/x-www-form-urlencoded;charset=UTF-8'
        return { bytes: text.encode(query.write(value)), type, used: false }
      }
      const found = spanOf(value)
      if (found !== undefined) return { bytes: copied(found), type: undefined, used: false }
      if (webidl.isObject(value)) refuseStreams(value)
      const bytes = text.encode(webidl.usvString(value))
      return { bytes, type: 'text/plain;charset=UTF-8', used: false }
    },

    copy(held) {
      if (held === undefined) return undefined
      if (held.used) throw new TypeError('the body has been read already')
      return { bytes: copied(span(held.bytes)), type: held.type, used: false }
    },

    take,

    /*
     * Adds the body methods to a class. `bodyOf(object)` returns {bytes, used}, or undefined if there is no body; it
     * throws for an object of another class. Must be called only while the prelude is loading.
     */
    install(Class, bodyOf) {
      const members = {
        async arrayBuffer() {
          return span(take(bodyOf(this))).buffer
        },
        async bytes() {
          return take(bodyOf(this))
        },
        async json() {
          return parse(text.decodeUtf8(take(bodyOf(this))))
        },
        async text() {
          return text.decodeUtf8(take(bodyOf(this)))
        },
        get body() {
          bodyOf(this)
          return null
        },
        get bodyUsed() {
          const held = bodyOf(this)
          return held !== undefined && held.used
        },
      }
      for (const name of Object.keys(members)) {
        define(Class.prototype, name, base.descriptorOf(members, name))
      }
    },
  }
}
