/* global host */
/* Replacement for scrypt-js. Makes the same checks, with the same errors, and computes the key in one host call. */
const { scrypt: derive } = host
const MAX_VALUE = 0x7fffffff

function isBytes(value) {
  if (!value || typeof value.length !== 'number') return false
  for (let i = 0; i < value.length; i++) {
    const byte = value[i]
    if (typeof byte !== 'number' || byte % 1 || byte < 0 || byte >= 256) return false
  }
  return true
}

function integer(value, name) {
  if (typeof value !== 'number' || value % 1) throw new Error('invalid ' + name)
  return value
}

function derived(password, salt, N, r, p, dkLen) {
  integer(N, 'N')
  integer(r, 'r')
  integer(p, 'p')
  integer(dkLen, 'dkLen')
  if (N === 0 || (N & (N - 1)) !== 0) throw new Error('N must be power of 2')
  if (N > MAX_VALUE / 128 / r) throw new Error('N too large')
  if (r > MAX_VALUE / 128 / p) throw new Error('r too large')
  if (!isBytes(password)) throw new Error('password must be an array or buffer')
  if (!isBytes(salt)) throw new Error('salt must be an array or buffer')
  const passwordBytes = new Uint8Array(password)
  const saltBytes = new Uint8Array(salt)
  return new Uint8Array(
    derive(
      passwordBytes.buffer,
      0,
      passwordBytes.length,
      saltBytes.buffer,
      0,
      saltBytes.length,
      N,
      r,
      p,
      dkLen,
    ),
  )
}

export default {
  scrypt(password, salt, N, r, p, dkLen, progressCallback) {
    return new Promise((resolve) => {
      if (progressCallback) progressCallback(0)
      const key = derived(password, salt, N, r, p, dkLen)
      if (progressCallback) progressCallback(1)
      resolve(key)
    })
  },
  syncScrypt: derived,
}
