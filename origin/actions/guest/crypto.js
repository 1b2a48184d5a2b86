/* crypto.getRandomValues from the host's generator; ethers looks for it while it loads. */
export default function cryptoFor(host, base) {
  const { Uint8Array, TypeError, RangeError, isView, span, setBytes, define, freeze } = base
  const QUOTA_BYTES = 65536

  const getRandomValues = (view) => {
    if (!isView(view)) throw new TypeError('getRandomValues: expected an integer typed array')
    const { buffer, offset, length } = span(view)
    if (length > QUOTA_BYTES) {
      throw new RangeError(`getRandomValues: at most ${QUOTA_BYTES} bytes a call`)
    }
    setBytes(new Uint8Array(buffer, offset, length), new Uint8Array(host.random(length)))
    return view
  }

  define(globalThis, 'crypto', {
    value: freeze({ getRandomValues }),
    writable: true,
    configurable: true,
  })
}
