/* Response (Fetch standard). The `body` property is always null, because responses are never streamed. */
export default function response(_host, base, { body, headers, url, webidl }) {
  const { Number, RangeError, TypeError, Uint8Array, floor, indexOf, slice, stringify, test } = base
  const { Headers } = headers
  const phrase = /^[\t \u0021-\u007e\u0080-\u00ff]*$/
  const WITHOUT_BODY = ' 101 204 205 304 '
  const REDIRECTS = ' 301 302 303 307 308 '
  let fromNetwork

  const isOneOf = (list, status) => indexOf(list, ' ' + status + ' ') >= 0

  const statusOf = (value) => {
    const status = floor(Number(value))
    if (status >= 200 && status <= 599) return status
    throw new RangeError('Response: the status is from 200 to 599')
  }

  const statusTextOf = (value) => {
    const text = webidl.byteString(value)
    if (test(phrase, text)) return text
    throw new TypeError('Response: invalid status text')
  }

  class Response {
    #type = 'default'
    #url = ''
    #redirected = false
    #status = 200
    #statusText = ''
    #headers
    #body = undefined

    constructor(content = null, options = {}) {
      const { status, statusText, headers: given } = webidl.dictionary(options, 'Response')
      if (status !== undefined) this.#status = statusOf(status)
      if (statusText !== undefined) this.#statusText = statusTextOf(statusText)
      this.#headers = new Headers(given)
      this.#body = body.extract(content)
      if (this.#body === undefined) return
      if (isOneOf(WITHOUT_BODY, this.#status)) {
        throw new TypeError('Response: a response with status ' + this.#status + ' has no body')
      }
      this.#describe(this.#body.type)
    }

    #describe(type) {
      if (type === undefined || has(this.#headers, 'content-type')) return
      append(this.#headers, 'content-type', type)
    }

    get type() {
      return this.#type
    }
    get url() {
      return this.#url
    }
    get redirected() {
      return this.#redirected
    }
    get status() {
      return this.#status
    }
    get ok() {
      return this.#status >= 200 && this.#status <= 299
    }
    get statusText() {
      return this.#statusText
    }
    get headers() {
      return this.#headers
    }
    clone() {
      const copy = body.copy(this.#body)
      const made = new Response()
      made.#type = this.#type
      made.#url = this.#url
      made.#redirected = this.#redirected
      made.#status = this.#status
      made.#statusText = this.#statusText
      made.#headers = headers.copy(this.#headers)
      made.#body = copy
      return made
    }

    static error() {
      const made = new Response()
      made.#type = 'error'
      made.#status = 0
      made.#headers = headers.make([])
      return made
    }

    static json(data, options = {}) {
      webidl.required(arguments.length, 1, 'Response.json')
      const text = stringify(data)
      if (text === undefined) throw new TypeError('Response.json: JSON cannot carry that')
      const type = 'application/json'
      const { status, statusText, headers: given } = webidl.dictionary(options, 'Response.json')
      const content = new Headers(given)
      if (!has(content, 'content-type')) append(content, 'content-type', type)
      return new Response(text, { __proto__: null, status, statusText, headers: content })
    }

    static redirect(address, status = 302) {
      webidl.required(arguments.length, 1, 'Response.redirect')
      const parsed = url.parse(address)
      if (parsed === undefined) throw new TypeError('Response.redirect: invalid URL')
      const number = Number(status)
      if (!isOneOf(REDIRECTS, number)) {
        throw new RangeError('Response.redirect: the status is 301, 302, 303, 307 or 308')
      }
      const made = new Response()
      made.#status = number
      made.#headers = headers.make([['location', parsed.href]])
      return made
    }

    static {
      body.install(Response, (object) => object.#body)
      fromNetwork = (method, value, bytes) => {
        const made = new Response()
        const fragment = indexOf(value.url, '#')
        made.#type = 'basic'
        made.#url = fragment < 0 ? value.url : slice(value.url, 0, fragment)
        made.#redirected = value.redirected
        made.#status = value.status
        made.#statusText = value.statusText
        made.#headers = headers.make(value.headers)
        if (method !== 'HEAD' && !isOneOf(WITHOUT_BODY, value.status)) {
          made.#body = { bytes: new Uint8Array(bytes), type: undefined, used: false }
        }
        return made
      }
    }
  }

  /* These methods are captured at load time, because an action may replace them later. */
  const has = base.uncurry(Headers.prototype.has)
  const append = base.uncurry(Headers.prototype.append)

  webidl.expose(Response)
  return { fromNetwork }
}
