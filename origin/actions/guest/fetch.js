/* The fetch function. The host checks and sends the request, and returns the complete response. */
export default function fetchFor(_host, base, parts) {
  const { abort, headers, operations, request, response, webidl } = parts
  const { TypeError, define, setPrototypeOf } = base
  const { Request, fieldsOf } = request

  /* Copies pairs to arrays without a prototype, so that JSON.stringify finds no toJSON method. */
  const bare = (pairs) => {
    const list = []
    for (let at = 0; at < pairs.length; at++) {
      list[at] = setPrototypeOf([pairs[at][0], pairs[at][1]], null)
    }
    return setPrototypeOf(list, null)
  }

  const send = async (fields) => {
    const { url, method, redirect, signal, body } = fields
    const argument = { __proto__: null, url, method, redirect }
    argument.headers = bare(headers.listOf(fields.headers))
    const asked = operations.request('fetch', argument, body?.bytes, TypeError)
    const unwatch =
      signal === undefined ? undefined : abort.watch(signal, () => asked.abandon(signal.reason))
    try {
      const { value, bytes } = await asked.promise
      return response.fromNetwork(method, value, bytes)
    } finally {
      if (unwatch !== undefined) unwatch()
    }
  }

  const fetch = async function fetch(input, options = {}) {
    webidl.required(arguments.length, 1, 'fetch')
    const fields = fieldsOf(new Request(input, options))
    if (fields.signal !== undefined && fields.signal.aborted) throw fields.signal.reason
    return await send(fields)
  }

  define(globalThis, 'fetch', { value: fetch, writable: true, configurable: true })
}
