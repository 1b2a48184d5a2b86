/*
 * Request (Fetch standard), with only the options that an action's fetch supports. Mode, credentials and cache are not
 * supported.
 */
export default function request(_host, base, { abort, body, headers, url, webidl }) {
  const { TypeError, indexOf, slice, test, toUpperCase } = base
  const { Headers } = headers
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
  /* HTTP methods that are converted to upper case, and methods that are forbidden. */
  const CAPITALS = ' DELETE GET HEAD OPTIONS POST PUT '
  const FORBIDDEN = ' CONNECT TRACE TRACK '
  const REDIRECTS = ' follow error manual '
  let fieldsOf

  const isOneOf = (list, word) => indexOf(list, ' ' + word + ' ') >= 0

  const methodOf = (value) => {
    const method = webidl.byteString(value)
    if (!test(token, method)) throw new TypeError('Request: invalid method')
    const capitals = toUpperCase(method)
    if (isOneOf(FORBIDDEN, capitals))
      throw new TypeError('Request: the method ' + method + ' is refused')
    return isOneOf(CAPITALS, capitals) ? capitals : method
  }

  const addressOf = (value) => {
    const parsed = url.parse(value)
    if (parsed === undefined)
      throw new TypeError('Request: ' + slice(webidl.string(value), 0, 256) + ' is no URL')
    if (parsed.username !== '' || parsed.password !== '') {
      throw new TypeError('Request: the URL has a user name or password; send a header instead')
    }
    return parsed.href
  }

  const redirectOf = (value) => {
    const redirect = webidl.string(value)
    if (isOneOf(REDIRECTS, redirect)) return redirect
    throw new TypeError('Request: redirect is follow, error or manual')
  }

  const signalOf = (value) => {
    if (value === null || abort.isSignal(value)) return value ?? undefined
    throw new TypeError('Request: the signal is no AbortSignal')
  }

  class Request {
    #url
    #method = 'GET'
    #headers
    #redirect = 'follow'
    #signal = undefined
    #body = undefined

    constructor(input, options = {}) {
      webidl.required(arguments.length, 1, 'Request')
      const init = webidl.dictionary(options, 'Request')
      const from = webidl.isObject(input) && #url in input ? input : undefined
      this.#url = from === undefined ? addressOf(input) : from.#url
      if (from !== undefined) {
        this.#method = from.#method
        this.#redirect = from.#redirect
        this.#signal = from.#signal
      }
      const { method, redirect, signal, headers: given, body: content } = init
      if (method !== undefined) this.#method = methodOf(method)
      if (redirect !== undefined) this.#redirect = redirectOf(redirect)
      if (signal !== undefined) this.#signal = signalOf(signal)
      this.#headers = new Headers(given === undefined ? from?.#headers : given)
      this.#setBody(content, from)
    }

    #setBody(content, from) {
      const hasContent = content !== undefined && content !== null
      const inherits = !hasContent && from !== undefined && from.#body !== undefined
      if (!hasContent && !inherits) return
      if (this.#method === 'GET' || this.#method === 'HEAD') {
        throw new TypeError('Request: a ' + this.#method + ' has no body')
      }
      if (inherits) {
        const { type } = from.#body
        this.#body = { bytes: body.take(from.#body), type, used: false }
        return
      }
      this.#body = body.extract(content)
      const { type } = this.#body
      if (type !== undefined && !has(this.#headers, 'content-type')) {
        append(this.#headers, 'content-type', type)
      }
    }

    get method() {
      return this.#method
    }
    get url() {
      return this.#url
    }
    get headers() {
      return this.#headers
    }
    get redirect() {
      return this.#redirect
    }
    get signal() {
      return (this.#signal ??= abort.never())
    }
    clone() {
      const copy = body.copy(this.#body)
      const made = new Request(this.#url, { __proto__: null, headers: this.#headers })
      made.#method = this.#method
      made.#redirect = this.#redirect
      made.#signal = this.#signal
      made.#body = copy
      return made
    }

    static {
      body.install(Request, (object) => object.#body)
      fieldsOf = (object) => ({
        url: object.#url,
        method: object.#method,
        headers: object.#headers,
        redirect: object.#redirect,
        signal: object.#signal,
        body: object.#body,
      })
    }
  }

  /* These methods are captured at load time, because an action may replace them later. */
  const has = base.uncurry(Headers.prototype.has)
  const append = base.uncurry(Headers.prototype.append)

  webidl.expose(Request)
  return { Request, fieldsOf }
}
