/* Asynchronous operations that the host performs for an action. Each operation has a number and a pending promise. */
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
    /*
     * Starts an operation.
     * @param argument a value that JSON can represent
     * @param bytes a Uint8Array, optional
     * @param Failure the class of the error with which the promise is rejected
     * @returns {promise: of {value, bytes: ArrayBuffer or undefined}, abandon(reason)}
     */
    request(name, argument, bytes = NOTHING, Failure = Error) {
      const id = ++last
      /*
       * The error is created in advance, so that its stack shows the action's call. Its message is set if the operation
       * fails.
       */
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

    /* `json` contains the value, or {message, code?} if `refused` is set. */
    settle(id, refused, json, bytes) {
      const entry = take(id)
      if (entry === undefined) return
      if (refused) refuse(entry, parse(json))
      /*
       * The value has no prototype, because resolving the promise would otherwise call a `then` method that an action
       * has defined on Object.prototype.
       */
      else entry.resolve({ __proto__: null, value: parse(json), bytes })
    },
  }
}
