export default function cryptoFor(host, base, { exceptions, subtle }) {
  const { Uint8Array, inBase, padStart, typedName, span, setBytes } = base
  const { define, freeze } = base
  const { DOMException } = exceptions
  const QUOTA_BYTES = 65536
  const INTEGERS = {
    __proto__: null,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    BigInt64Array,
    BigUint64Array,
  }

  const isInteger = (view) => {
    try {
      return INTEGERS[typedName(view)] !== undefined
    } catch {
      return false
    }
  }

  const getRandomValues = (array) => {
    if (!isInteger(array)) {
      const message = 'crypto.getRandomValues: expected a typed array of integers'
      throw new DOMException(message, 'TypeMismatchError')
    }
    const { buffer, offset, length } = span(array)
    if (length > QUOTA_BYTES) {
      const message = 'crypto.getRandomValues: at most ' + QUOTA_BYTES + ' bytes a call'
      throw new DOMException(message, 'QuotaExceededError')
    }
    setBytes(new Uint8Array(buffer, offset, length), new Uint8Array(host.random(length)))
    return array
  }

  const randomUUID = () => {
    const bytes = new Uint8Array(host.random(16))
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    let id = ''
    for (let at = 0; at < 16; at++) {
      if (at === 4 || at === 6 || at === 8 || at === 10) id += '-'
      id += padStart(inBase(bytes[at], 16), 2, '0')
    }
    return id
  }

  const crypto = { getRandomValues, randomUUID, subtle }
  define(crypto, Symbol.toStringTag, { value: 'Crypto' })
  define(globalThis, 'crypto', {
    value: freeze(crypto),
    writable: true,
    configurable: true,
  })
}
