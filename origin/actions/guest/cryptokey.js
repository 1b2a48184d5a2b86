/*
 * CryptoKey (Web Crypto). The bytes of a key are stored only in the guest. The host receives them with each call that
 * needs them.
 */
export default function cryptokey(_host, base, { webidl }) {
  const { TypeError } = base
  const KEY = {}
  let make, inside

  /*
   * Returns the usages as an array. Uses array literals, because assigning an element could invoke a setter that an
   * action has defined on Array.prototype.
   */
  const listed = ({ sign, verify }) => {
    if (sign) return verify ? ['sign', 'verify'] : ['sign']
    return verify ? ['verify'] : []
  }

  class CryptoKey {
    #extractable
    #algorithm
    #usages
    /*
     * Authoritative properties of the key, not accessible to the action. The objects in `#algorithm` and `#usages` are
     * returned to the action, which may modify them.
     */
    #own

    constructor(key = null) {
      if (key !== KEY) throw new TypeError('Illegal constructor')
    }

    get type() {
      return this.#own.type
    }

    get extractable() {
      return this.#extractable
    }

    get algorithm() {
      return this.#algorithm
    }

    get usages() {
      return this.#usages
    }

    static {
      make = (own, algorithm, extractable) => {
        const key = new CryptoKey(KEY)
        key.#own = own
        key.#algorithm = algorithm
        key.#extractable = extractable
        key.#usages = listed(own)
        return key
      }
      inside = (value) => (webidl.isObject(value) && #own in value ? value.#own : undefined)
    }
  }

  webidl.expose(CryptoKey)
  return {
    /*
     * @param own {type, name, hash, curve, bytes, sign, verify}, without a prototype; bytes is a Uint8Array with no
     * other references
     * @param algorithm the algorithm object that the key exposes
     */
    make,
    /* Returns the authoritative properties (`own`) of a CryptoKey, or undefined for any other value. */
    inside,
  }
}
