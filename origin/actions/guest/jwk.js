/* Reads and checks JSON Web Keys for crypto.subtle.importKey (RFC 7517, RFC 7518, RFC 8037; Web Crypto, JsonWebKey). */
export default function jwk(_host, base, { exceptions, webidl }) {
  const { indexOf, slice, stringify } = base
  const words = (text) => text.split(' ')
  /* Names of the string members of a JWK, in the order in which Web IDL reads them. */
  const TEXTS = words('alg crv d dp dq e k kty n p q qi use x y')
  const MATERIAL = words('kty crv x y n e d p q dp dq qi k')
  const TYPES = { __proto__: null, HMAC: 'oct', Ed25519: 'OKP', ECDSA: 'EC' }
  const ALGORITHMS = { __proto__: null, HMAC: 'HS', 'RSASSA-PKCS1-v1_5': 'RS', 'RSA-PSS': 'PS' }

  const refuse = (message) => {
    throw new exceptions.DOMException('crypto.subtle.importKey: ' + message, 'DataError')
  }

  /*
   * Reads the `key_ops` member. Stores the operations as a string of words, each surrounded by spaces, and sets
   * `isTwice` if there are duplicates.
   */
  const readOperations = (found, operations) => {
    found.operations = ' '
    webidl.each(operations, (item) => {
      const word = ' ' + webidl.string(item) + ' '
      if (indexOf(found.operations, word) >= 0) found.isTwice = true
      found.operations += slice(word, 1)
    })
  }

  const read = (given) => {
    const found = { __proto__: null, ext: undefined, operations: undefined, isTwice: false }
    for (let at = 0; at < TEXTS.length; at++) {
      const value = given[TEXTS[at]]
      found[TEXTS[at]] = value === undefined ? undefined : webidl.string(value)
    }
    const { ext, key_ops: operations, oth } = given
    if (ext !== undefined) found.ext = !!ext
    if (operations !== undefined) readOperations(found, operations)
    if (oth !== undefined) {
      const message = 'crypto.subtle.importKey: RSA keys of more than two primes are not supported'
      throw new exceptions.DOMException(message, 'NotSupportedError')
    }
    return found
  }

  const requireUses = (key, { sign, verify }) => {
    if (key.use !== undefined && key.use !== 'sig' && (sign || verify)) {
      refuse('the use of the JWK is not sig')
    }
    if (key.operations === undefined) return
    if (key.isTwice) refuse('key_ops of the JWK names an operation twice')
    const lacks = (usage) => indexOf(key.operations, ' ' + usage + ' ') < 0
    if ((sign && lacks('sign')) || (verify && lacks('verify'))) {
      refuse('key_ops of the JWK does not have every usage')
    }
  }

  const requireAlgorithm = (key, { name, hash, curve }) => {
    const type = TYPES[name] ?? 'RSA'
    if (key.kty !== type) refuse('the kty of the JWK is not ' + type)
    const crv = name === 'Ed25519' ? name : curve
    if (crv !== '' && key.crv !== crv) refuse('the crv of the JWK is not ' + crv)
    if (key.alg === undefined) return
    if (name === 'Ed25519') {
      if (key.alg !== 'EdDSA' && key.alg !== 'Ed25519') refuse('the alg of the JWK is not Ed25519')
    } else {
      const expected = name === 'ECDSA' ? 'ES' + slice(curve, 2) : ALGORITHMS[name] + slice(hash, 4)
      if (key.alg !== expected) refuse('the alg of the JWK is not ' + expected)
    }
  }

  return {
    /*
     * Reads the members of a JWK once, and returns them as an object without a prototype, so that the action cannot
     * change them later.
     */
    read,

    /*
     * Checks that a JWK matches the requested algorithm, usages and extractability.
     * @param said the result of algorithms.ofKey
     * @param usages {sign, verify}
     * @throws DOMException DataError if the JWK does not match
     */
    requireFits(key, said, usages, extractable) {
      requireAlgorithm(key, said)
      requireUses(key, usages)
      if (extractable && key.ext === false) refuse('the JWK is not to be extractable')
    },

    /*
     * Returns the key material of a JWK as JSON for the host. The JSON is assembled by hand, because JSON.stringify
     * stores the objects that it visits in an internal array, and an action could intercept the assignments to its
     * elements.
     */
    json(key) {
      let members = ''
      for (let at = 0; at < MATERIAL.length; at++) {
        const value = key[MATERIAL[at]]
        if (value === undefined) continue
        members += (members === '' ? '"' : ',"') + MATERIAL[at] + '":' + stringify(value)
      }
      return '{' + members + '}'
    },
  }
}
