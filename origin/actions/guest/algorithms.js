/* Parses the algorithm arguments of crypto.subtle (Web Crypto, normalizing an algorithm). */
export default function algorithms(_host, base, { exceptions, webidl }) {
  const { TypeError, slice, toUpperCase, trunc } = base
  const { DOMException } = exceptions
  const UINT32_MAX = 2 ** 32 - 1
  /*
   * Canonical algorithm names by upper-case name, because names are compared case-insensitively. The objects have no
   * prototype, so that lookups find only these names.
   */
  const HASHES = {
    __proto__: null,
    'SHA-1': 'SHA-1',
    'SHA-256': 'SHA-256',
    'SHA-384': 'SHA-384',
    'SHA-512': 'SHA-512',
  }
  const SIGNING = {
    __proto__: null,
    HMAC: 'HMAC',
    ED25519: 'Ed25519',
    ECDSA: 'ECDSA',
    'RSASSA-PKCS1-V1_5': 'RSASSA-PKCS1-v1_5',
    'RSA-PSS': 'RSA-PSS',
  }
  const CURVES = { __proto__: null, 'P-256': 'P-256', 'P-384': 'P-384' }

  const unsupported = (what, name, known) =>
    new DOMException(
      'crypto.subtle.' + what + ': ' + slice(name, 0, 64) + ' is not one of ' + known,
      'NotSupportedError',
    )

  const nameOf = (given, what) => {
    if (!webidl.isObject(given)) return webidl.string(given)
    const { name } = given
    if (name === undefined) {
      throw new TypeError('crypto.subtle.' + what + ': the algorithm has no name')
    }
    return webidl.string(name)
  }

  /* An algorithm given as a string has no members. */
  const member = (given, field, what) => {
    const value = webidl.isObject(given) ? given[field] : undefined
    if (value !== undefined) return value
    throw new TypeError('crypto.subtle.' + what + ': the algorithm needs ' + field)
  }

  const hash = (given, what) => {
    const name = nameOf(given, what)
    const known = HASHES[toUpperCase(name)]
    if (known === undefined) {
      throw unsupported(what, name, 'SHA-1, SHA-256, SHA-384, SHA-512')
    }
    return known
  }

  const signing = (given, what) => {
    const name = nameOf(given, what)
    const known = SIGNING[toUpperCase(name)]
    if (known !== undefined) return known
    throw unsupported(what, name, 'HMAC, Ed25519, ECDSA, RSASSA-PKCS1-v1_5, RSA-PSS')
  }

  /* Converts a member to Web IDL's [EnforceRange] unsigned long. */
  const integer = (value, field, what) => {
    const number = trunc(+value)
    if (number >= 0 && number <= UINT32_MAX) return number
    throw new TypeError('crypto.subtle.' + what + ': ' + field + ' is no number of its range')
  }

  return {
    hash,

    /*
     * Parses the algorithm argument of importKey.
     * @returns {name, hash, length, curve}, the properties of the imported key
     */
    ofKey(given) {
      const what = 'importKey'
      const name = signing(given, what)
      const said = { __proto__: null, name, hash: '', length: undefined, curve: '' }
      if (name === 'ECDSA') {
        const curve = webidl.string(member(given, 'namedCurve', what))
        /* Curve names are case-sensitive, unlike algorithm names. */
        if (CURVES[curve] === undefined) throw unsupported(what, curve, 'P-256, P-384')
        said.curve = curve
      } else if (name !== 'Ed25519') {
        said.hash = hash(member(given, 'hash', what), what)
      }
      if (name === 'HMAC') {
        const { length } = given
        if (length !== undefined) said.length = integer(length, 'length', what)
      }
      return said
    },

    /*
     * Parses the algorithm argument of sign and verify.
     * @returns {name, hash, saltLength}; hash is '' if the key determines it
     */
    ofSignature(given, what) {
      const name = signing(given, what)
      const said = { __proto__: null, name, hash: '', saltLength: 0 }
      if (name === 'ECDSA') said.hash = hash(member(given, 'hash', what), what)
      if (name === 'RSA-PSS') {
        said.saltLength = integer(member(given, 'saltLength', what), 'saltLength', what)
      }
      return said
    },
  }
}
