/* Svc.Actions: each call becomes a numbered request to the host and a promise that waits in here. */
export default function svc(host, base, errors) {
  'use strict'
  const { Promise, Error, TypeError, Map, mapGet, mapSet, mapDelete, stringify, parse } = base
  const { define, freeze } = base
  const ID_CHARACTERS = 256
  const waiting = new Map()
  let last = 0

  const settle = (id, text, refused, code) => {
    const entry = mapGet(waiting, id)
    if (entry === undefined) return
    mapDelete(waiting, id)
    if (!refused) {
      entry.resolve(parse(text))
      return
    }
    entry.failure.message = parse(text)
    if (code) {
      entry.failure.code = code
      errors.mark(entry.failure, code)
    }
    entry.reject(entry.failure)
  }

  const request = (name, argument) =>
    new Promise((resolve, reject) => {
      /* Made now, so that its stack shows where the action asked; the message comes with the refusal. */
      const failure = new Error('')
      const id = ++last
      mapSet(waiting, id, { resolve, reject, failure })
      const refusal = host.keyOperation(id, name, stringify(argument))
      if (refusal) settle(id, stringify(refusal), true, 'key_operation_limit')
    })

  const withField = (name, field) => {
    return async (input) => {
      const value = input === null || input === undefined ? undefined : input[field]
      if (typeof value !== 'string' || value === '' || value.length > ID_CHARACTERS) {
        throw new TypeError(`Svc.Actions.${name}: expected {${field}: string}`)
      }
      return request(name, value)
    }
  }

  const Actions = freeze({
    getPrivateKey: withField('getPrivateKey', 'pkpId'),
    getSvcActionPrivateKey: async () => request('getSvcActionPrivateKey', ''),
    getSvcActionPublicKey: withField('getSvcActionPublicKey', 'ipfsId'),
    getSvcActionWalletAddress: withField('getSvcActionWalletAddress', 'ipfsId'),
  })
  define(globalThis, 'Svc', { value: freeze({ Actions }), writable: false, configurable: true })

  return settle
}
