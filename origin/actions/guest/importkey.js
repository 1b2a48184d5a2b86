/* crypto.subtle.importKey (Web Crypto), for signing and verification keys. */
export default function importkey(host, base, { algorithms, cryptokey, exceptions, jwk, webidl }) {
  const { TypeError, Uint8Array, indexOf, parse, span } = base
  const { DOMException } = exceptions
  const WHAT = 'crypto.subtle.importKey'
  const FORMATS = ' raw spki pkcs8 jwk '
  const USAGES = ' encrypt decrypt sign verify deriveKey deriveBits wrapKey unwrapKey '

  const has = (words, word) => indexOf(word, ' ') < 0 && indexOf(words, ' ' + word + ' ') >= 0
  const refusal = (name, message) => new DOMException(WHAT + ': ' + message, name)

  /* @returns {sign, verify, other}; other is true if any of the usages is not supported */
  const usagesOf = (given) => {
    const usages = { __proto__: null, sign: false, verify: false, other: false }
    webidl.each(given, (item) => {
      const usage = webidl.string(item)
      if (!has(USAGES, usage)) throw new TypeError(WHAT + ': there is no key usage of that name')
      if (usage === 'sign') usages.sign = true
      else if (usage === 'verify') usages.verify = true
      else usages.other = true
    })
    return usages
  }

  const requireFormat = (name, format) => {
    const formats =
      name === 'HMAC' ? ' raw jwk ' : indexOf(name, 'RSA') === 0 ? ' spki pkcs8 jwk ' : FORMATS
    if (has(formats, format)) return
    throw refusal('NotSupportedError', 'no ' + format + ' for ' + name)
  }

  const typeOf = (name, format, key) => {
    if (name === 'HMAC') return 'secret'
    const isPrivate = format === 'jwk' ? key.d !== undefined : format === 'pkcs8'
    return isPrivate ? 'private' : 'public'
  }

  const requireUsages = (type, { sign, verify, other }) => {
    const isFit = !other && (type === 'secret' || !(type === 'public' ? sign : verify))
    if (!isFit) throw refusal('SyntaxError', 'a ' + type + ' key is not for these usages')
  }

  /* Converts key data to the form in which keys are stored: raw bytes for a secret key, DER for any other. */
  const bytesOf = (said, format, type, data, key) => {
    const kind = said.curve === '' ? said.name : said.curve
    try {
      if (format === 'jwk') return new Uint8Array(host.webKeyOfJwk(kind, type, jwk.json(key)))
      const { buffer, offset, length } = webidl.bytes(data, WHAT)
      if (type === 'secret') return webidl.copy(buffer, offset, length)
      return new Uint8Array(host.webKeyOfBytes(kind, format, buffer, offset, length))
    } catch (error) {
      throw refusal('DataError', error.message)
    }
  }

  /*
   * Returns the algorithm object of an HMAC key. If the key's length in bits is not a multiple of eight, clears the
   * unused bits of the last byte.
   */
  const shownHmac = ({ name, hash, length }, bytes) => {
    const size = span(bytes).length
    const bits = length ?? size * 8
    if (bits === 0) throw refusal('DataError', 'the key is empty')
    const left = size * 8 - bits
    if (left < 0 || left >= 8) {
      throw refusal('DataError', 'the key does not have the bits that length says')
    }
    bytes[size - 1] &= 0xff << left
    return { name, hash: { name: hash }, length: bits }
  }

  const shownRsa = ({ name, hash }, type, bytes) => {
    const { buffer, offset, length } = span(bytes)
    const read = parse(host.webRsaKey(type, buffer, offset, length))
    const publicExponent = new Uint8Array(read.publicExponent.length)
    for (let at = 0; at < read.publicExponent.length; at++) {
      publicExponent[at] = read.publicExponent[at]
    }
    return { name, modulusLength: read.modulusLength, publicExponent, hash: { name: hash } }
  }

  /* Returns the algorithm object that a key exposes. */
  const shown = (said, type, bytes) => {
    if (said.name === 'HMAC') return shownHmac(said, bytes)
    if (said.name === 'Ed25519') return { name: said.name }
    if (said.name === 'ECDSA') return { name: said.name, namedCurve: said.curve }
    return shownRsa(said, type, bytes)
  }

  const importKey = async function (format, keyData, algorithm, extractable, keyUsages) {
    webidl.required(arguments.length, 5, WHAT)
    const form = webidl.string(format)
    if (!has(FORMATS, form)) throw new TypeError(WHAT + ': there is no key format of that name')
    const isJwk = form === 'jwk'
    if (!isJwk) webidl.bytes(keyData, WHAT)
    else if (!webidl.isObject(keyData) || base.spanOf(keyData) !== undefined) {
      throw new TypeError(WHAT + ': expected a JsonWebKey')
    }
    const key = isJwk ? jwk.read(keyData) : undefined
    const usages = usagesOf(keyUsages)
    const said = algorithms.ofKey(algorithm)
    requireFormat(said.name, form)
    const type = typeOf(said.name, form, key)
    requireUsages(type, usages)
    if (isJwk) jwk.requireFits(key, said, usages, !!extractable)
    const bytes = bytesOf(said, form, type, keyData, key)
    const visible = shown(said, type, bytes)
    const { sign, verify } = usages
    if (type !== 'public' && !sign && !verify) {
      throw refusal('SyntaxError', 'a ' + type + ' key needs a usage')
    }
    const { name, hash, curve } = said
    const own = { __proto__: null, type, name, hash, curve, bytes, sign, verify }
    return cryptokey.make(own, visible, !!extractable)
  }

  return { importKey }
}
