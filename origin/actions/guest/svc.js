/*
 * Svc.Actions: key operations, which only the process that holds the keys can perform. The object is frozen and its
 * global name cannot be redefined, so that other code in the same action cannot replace it.
 */
export default function svc(host, base, { operations }) {
  const { String, TypeError, define, freeze } = base

  const ask = async (name, argument) => {
    const { value } = await operations.request(name, argument).promise
    return value
  }

  /*
   * Reads and checks a string argument. The field is read only once, because a getter may return a different value the
   * second time.
   */
  const text = (operation, input, field, shape, min, max) => {
    const value = input === null || input === undefined ? undefined : input[field]
    if (typeof value !== 'string' || value.length < min) {
      throw new TypeError('Svc.Actions.' + operation + ': expected ' + shape)
    }
    if (value.length > max) {
      const found = field + ' has ' + String(value.length) + ' characters'
      throw new TypeError(
        'Svc.Actions.' + operation + ': ' + found + '; the limit is ' + String(max),
      )
    }
    return value
  }

  const id = (operation, input, field, shape = '{' + field + ': string}') =>
    text(operation, input, field, shape, 1, host.keyIdMaxCharacters)

  const Actions = {
    async getPrivateKey(input) {
      return await ask('getPrivateKey', {
        __proto__: null,
        pkpId: id('getPrivateKey', input, 'pkpId'),
      })
    },
    async encrypt(input) {
      const shape = '{pkpId: string, message: string}'
      const pkpId = id('encrypt', input, 'pkpId', shape)
      const message = text('encrypt', input, 'message', shape, 0, host.messageMaxBytes)
      return await ask('encrypt', { __proto__: null, pkpId, message })
    },
    async decrypt(input) {
      const shape = '{pkpId: string, ciphertext: string}'
      const pkpId = id('decrypt', input, 'pkpId', shape)
      const most = host.ciphertextMaxCharacters
      const ciphertext = text('decrypt', input, 'ciphertext', shape, 1, most)
      return await ask('decrypt', { __proto__: null, pkpId, ciphertext })
    },
    async getSvcActionPrivateKey() {
      return await ask('getSvcActionPrivateKey', { __proto__: null })
    },
    async getSvcActionPublicKey(input) {
      return await ask('getSvcActionPublicKey', {
        __proto__: null,
        ipfsId: id('getSvcActionPublicKey', input, 'ipfsId'),
      })
    },
    async getSvcActionWalletAddress(input) {
      const name = 'getSvcActionWalletAddress'
      return await ask(name, { __proto__: null, ipfsId: id(name, input, 'ipfsId') })
    },
  }
  for (const name in Actions) freeze(Actions[name])
  const Svc = freeze({ Actions: freeze(Actions) })
  /*
   * Svc is defined as a getter, because the engine lets defineProperty replace a value property of the global object
   * even if it is not configurable.
   */
  define(globalThis, 'Svc', { get: freeze(() => Svc), configurable: false })
}
