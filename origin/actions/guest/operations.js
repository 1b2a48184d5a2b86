/* What the host does for an action while the action waits: each is a number, and a promise that waits in here. */
export default function operations(host, base, { errors }) {
  const { Promise, Error, Map, Uint8Array, mapGet, mapSet, mapDelete, stringify, parse } = base
  const NOTHING = new Uint8Array(0)
  const waiting = new Map()
  let last = 0

  const take = (id) => {
    const entry = mapGet(waiting, id)
    if (entry !== undefined) mapDelete(waiting, id)
    return entry
  }

  const refuse = (entry, { message, code }) => {
    entry.failure.message = message
    if (code) {
      entry.failure.code = code
      errors.mark(entry.failure, code)
    }
    entry.reject(entry.failure)
  }

  return {
    /* @param argument what JSON can carry
       @param bytes a Uint8Array, or nothing
       @param Failure the class of the error of a refusal
       @returns {promise: of {value, bytes: ArrayBuffer or undefined}, abandon(reason)} */
    request(name, argument, bytes = NOTHING, Failure = Error) {
      const id = ++last
      /* Made now, so that its stack shows where the action asked; the message comes with the refusal. */
      const failure = new Failure('')
      const promise = new Promise((resolve, reject) => {
        const entry = { resolve, reject, failure }
        mapSet(waiting, id, entry)
        const { buffer, offset, length } = base.span(bytes)
        const refusal = host.operation(id, name, stringify(argument), buffer, offset, length)
        if (refusal) refuse(take(id), parse(refusal))
      })
      const abandon = (reason) => {
        const entry = take(id)
        if (entry === undefined) return
        host.abandon(id)
        entry.reject(reason)
      }
      return { promise, abandon }
    },

    /* The host's answer: JSON text, of the value or of {message, code?}; and the bytes that belong to it. */
    settle(id, refused, json, bytes) {
      const entry = take(id)
      if (entry === undefined) return
      if (refused) refuse(entry, parse(json))
      /* Without a prototype: a `then` that an action put on Object.prototype would be called with it. */
      else entry.resolve({ __proto__: null, value: parse(json), bytes })
    },
  }
}
