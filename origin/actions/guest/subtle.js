/*
 * crypto.subtle (Web Crypto): digests, and keys for signing and verification. The host computes all results
 * synchronously.
 */
export default function subtle(
  host,
  base,
  { algorithms, cryptokey, exceptions, importkey, webidl },
) {
  const { TypeError, define, freeze, span } = base
  const { DOMException } = exceptions
  const { importKey } = importkey

  const digest = async (algorithm, data) => {
    const what = 'crypto.subtle.digest'
    webidl.bytes(data, what)
    const name = algorithms.hash(algorithm, 'digest')
    const { buffer, offset, length } = webidl.compact(webidl.bytes(data, what))
    return host.webDigest(name, buffer, offset, length)
  }

  /* @returns {own, hash, saltLength}: the authoritative properties of the key, and the signature parameters */
  const permitted = (algorithm, key, usage) => {
    const what = 'crypto.subtle.' + usage
    const own = cryptokey.inside(key)
    if (own === undefined) throw new TypeError(what + ': expected a CryptoKey')
    const { name, hash, saltLength } = algorithms.ofSignature(algorithm, usage)
    if (name !== own.name) {
      throw new DOMException(what + ': the key is for ' + own.name, 'InvalidAccessError')
    }
    if (!own[usage]) {
      throw new DOMException(what + ': the key is not to ' + usage, 'InvalidAccessError')
    }
    return { __proto__: null, own, hash: own.hash === '' ? hash : own.hash, saltLength }
  }

  const sign = async function (algorithm, key, data) {
    const what = 'crypto.subtle.sign'
    webidl.required(arguments.length, 3, what)
    webidl.bytes(data, what)
    const { own, hash, saltLength } = permitted(algorithm, key, 'sign')
    const { buffer, offset, length } = span(own.bytes)
    /*
     * The data is located only now, because reading the algorithm may run code of the action that changes the buffer.
     */
    const d = webidl.bytes(data, what)
    try {
      return host.webSign(
        own.name,
        hash,
        saltLength,
        buffer,
        offset,
        length,
        d.buffer,
        d.offset,
        d.length,
      )
    } catch (error) {
      throw new DOMException(what + ': ' + error.message, 'OperationError')
    }
  }

  const verify = async function (algorithm, key, signature, data) {
    const what = 'crypto.subtle.verify'
    webidl.required(arguments.length, 4, what)
    webidl.bytes(signature, what)
    webidl.bytes(data, what)
    const { own, hash, saltLength } = permitted(algorithm, key, 'verify')
    const { buffer, offset, length } = span(own.bytes)
    const s = webidl.bytes(signature, what)
    const d = webidl.bytes(data, what)
    return host.webVerify(
      own.name,
      hash,
      saltLength,
      buffer,
      offset,
      length,
      s.buffer,
      s.offset,
      s.length,
      d.buffer,
      d.offset,
      d.length,
    )
  }

  const methods = { digest, importKey, sign, verify }
  define(methods, Symbol.toStringTag, { value: 'SubtleCrypto' })
  return freeze(methods)
}
