/* crypto.getRandomValues from the host's generator; ethers looks for it while it loads. */
export default function cryptoFor(host, base) {
  'use strict'
  const { Uint8Array, TypeError, RangeError, isView, parseInt, slice, define, freeze } = base
  const QUOTA_BYTES = 65536

  const getRandomValues = (view) => {
    if (!isView(view)) throw new TypeError('getRandomValues: expected an integer typed array')
    if (view.byteLength > QUOTA_BYTES) {
      throw new RangeError(`getRandomValues: at most ${QUOTA_BYTES} bytes a call`)
    }
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    const hex = host.random(bytes.length)
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = parseInt(slice(hex, at * 2, at * 2 + 2), 16)
    }
    return view
  }

  define(globalThis, 'crypto', {
    value: freeze({ getRandomValues }),
    writable: true,
    configurable: true,
  })
}
