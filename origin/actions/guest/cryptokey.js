/* CryptoKey (Web Crypto). Its bytes are in here and nowhere else: the host is lent them for one call at a time. */
export default function cryptokey(_host, base, { webidl }) {
  const { TypeError } = base
  const KEY = {}
  let make, inside

  /* Written out, for what is put into an array goes through a setter that an action may have given all arrays. */
  const listed = ({ sign, verify }) => {
    if (sign) return verify ? ['sign', 'verify'] : ['sign']
    return verify ? ['verify'] : []
  }

  class CryptoKey {
    #extractable
    #algorithm
    #usages
    /* What decides. The three above are handed out, and an action may change what is in them. */
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
    /* @param own {type, name, hash, curve, bytes, sign, verify}, without a prototype; bytes: a Uint8Array that nobody else has
       @param algorithm as the key shows it */
    make,
    /* What it was made from; undefined for what is no CryptoKey. */
    inside,
  }
}
