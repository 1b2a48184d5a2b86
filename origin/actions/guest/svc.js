/*
 * Svc.Actions: key operations, which only the process that holds the keys can perform. The object is frozen and its
 * global name cannot be redefined, so that other code in the same action cannot replace it.
 */
export default function svc(host, base, parts) {
  const { String, TypeError, define, freeze, keys, parse, stringify, test, trunc } = base
  const { operations, signing } = parts
  const PKP_ID = /^0x(?:0{24})?[0-9a-fA-F]{40}$/

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

  /*
   * Reads the members of a signing operation's input once, and refuses others.
   * @param members object without a prototype that has a key for each member
   */
  const read = (operation, input, members, shape) => {
    const fail = (found) => {
      throw new TypeError('Svc.Actions.' + operation + ': ' + found + 'expected ' + shape)
    }
    if (typeof input !== 'object' || input === null) fail('')
    const given = keys(input)
    for (let at = 0; at < given.length; at++) {
      if (!(given[at] in members)) fail('unknown member ' + stringify(given[at]) + '; ')
    }
    const values = { __proto__: null }
    for (const name in members) values[name] = input[name]
    return values
  }

  const refuse = (operation) => (message) => {
    throw new TypeError('Svc.Actions.' + operation + ': ' + message)
  }

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
    async signMessage(input) {
      const name = 'signMessage'
      const shape = '{pkpId: string, message: string or Uint8Array}'
      const given = read(name, input, { __proto__: null, pkpId: 0, message: 0 }, shape)
      const pkpId = id(name, given, 'pkpId', shape)
      const isText = typeof given.message === 'string'
      const max = host.signingInputMaxBytes
      const message = isText
        ? signing.textToHex(given.message, max)
        : signing.bytesToHex(given.message, max)
      if (message === undefined) {
        const what = isText ? 'well-formed text' : 'a string, a Uint8Array or an array'
        refuse(name)('message: expected ' + what + ' of at most ' + String(max) + ' bytes')
      }
      return await ask(name, { __proto__: null, pkpId, message })
    },
    async signTypedData(input) {
      const name = 'signTypedData'
      const shape = '{pkpId: string, domain: object, types: object, value: object}'
      const members = { __proto__: null, pkpId: 0, domain: 0, types: 0, value: 0 }
      const given = read(name, input, members, shape)
      const pkpId = id(name, given, 'pkpId', shape)
      const { domain, types, value } = given
      const data = { __proto__: null, domain, types, value }
      const typedData = signing.toJson(data, '', host.signingInputMaxBytes, refuse(name))
      return await ask(name, { __proto__: null, pkpId, typedData })
    },
    async signTransaction(input) {
      const name = 'signTransaction'
      const shape = '{pkpId: string, transaction: object}'
      const given = read(name, input, { __proto__: null, pkpId: 0, transaction: 0 }, shape)
      const pkpId = id(name, given, 'pkpId', shape)
      const max = host.transactionJsonMaxCharacters
      const transaction = signing.toJson(given.transaction, 'transaction', max, refuse(name))
      return await ask(name, { __proto__: null, pkpId, transaction })
    },
    async signDigest(input) {
      const name = 'signDigest'
      const shape = '{pkpId: string, digest: 32 bytes as 0x hex or Uint8Array}'
      const given = read(name, input, { __proto__: null, pkpId: 0, digest: 0 }, shape)
      const pkpId = id(name, given, 'pkpId', shape)
      const digest =
        signing.bytesToHex(given.digest, 32) ?? text(name, given, 'digest', shape, 66, 66)
      return await ask(name, { __proto__: null, pkpId, digest })
    },
    async sendTransaction(input) {
      const name = 'sendTransaction'
      const shape =
        '{pkpId, chain, to, data?, value?, gas?, maxFeePerGas?, speed?, errors?, idempotencyKey?}'
      const members = {
        __proto__: null,
        pkpId: 0,
        chain: 0,
        to: 0,
        data: 0,
        value: 0,
        gas: 0,
        maxFeePerGas: 0,
        speed: 0,
        errors: 0,
        idempotencyKey: 0,
      }
      const given = read(name, input, members, shape)
      const request = signing.toJson(given, '', host.transactionJsonMaxCharacters, refuse(name))
      return parse(await ask(name, { __proto__: null, request }))
    },
    async transaction(input) {
      const name = 'transaction'
      const shape = "{id: string, waitFor?: 'mined' or 'final', timeoutMs?: integer}"
      const members = { __proto__: null, id: 0, waitFor: 0, timeoutMs: 0 }
      const given = read(name, input, members, shape)
      const transactionId = id(name, given, 'id', shape)
      const { waitFor, timeoutMs } = given
      if (waitFor !== undefined && waitFor !== 'mined' && waitFor !== 'final') {
        refuse(name)("waitFor: expected 'mined' or 'final'")
      }
      if (timeoutMs !== undefined) {
        const max = host.waitMaxMs
        const isDuration = typeof timeoutMs === 'number' && trunc(timeoutMs) === timeoutMs
        if (!isDuration || timeoutMs < 0 || timeoutMs > max) {
          refuse(name)('timeoutMs: expected an integer from 0 to ' + String(max))
        }
        if (waitFor === undefined) refuse(name)('timeoutMs: has no effect without waitFor')
      }
      return parse(await ask(name, { __proto__: null, id: transactionId, waitFor, timeoutMs }))
    },
    wallet(input) {
      const name = 'wallet'
      const shape = '{pkpId: string}'
      const pkpId = id(
        name,
        read(name, input, { __proto__: null, pkpId: 0 }, shape),
        'pkpId',
        shape,
      )
      if (!test(PKP_ID, pkpId)) {
        refuse(name)('pkpId must be a wallet address or its 32-byte ID, in hex with 0x')
      }
      /* This part is loaded after ethers. */
      return parts.wallet.open(pkpId)
    },
    async getSvcActionPrivateKey() {
      return await ask('getSvcActionPrivateKey', { __proto__: null })
    },
    async getTraceparent() {
      return await ask('getTraceparent', { __proto__: null })
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
  return { Actions }
}
