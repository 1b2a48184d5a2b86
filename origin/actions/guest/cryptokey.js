/* CryptoKey (Web Crypto). The key's bytes are stored only here. The host gets them for one call at a time. */
export default function cryptokey(_host, base, { webidl }) {
  const { TypeError } = base
  const KEY = {}
  let make, inside

  /*
   * Uses array literals, because assigning an element could invoke a setter that an action has defined on
   * Array.prototype.
   */
  const listed = ({ sign, verify }) => {
    if (sign) return verify ? ['sign', 'verify'] : ['sign']
    return verify ? ['verify'] : []
  }

  class CryptoKey {
    #extractable
    #algorithm
    #usages
    /* The authoritative state. The three fields above are handed out, and an action may modify their contents. */
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
     * @param algorithm as the key exposes it
     */
    make,
    /* Returns the `own` object of a CryptoKey, or undefined for any other value. */
    inside,
  }
}
