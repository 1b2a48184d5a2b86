/* The part of node:crypto that is safe to provide: hashes come from the sandbox's ethers, which is native code. */
import { Buffer } from 'svc:buffer'

const { crypto: webcrypto } = globalThis
const HASHES = { sha256: 'sha256', sha512: 'sha512' }

function hashOf(name) {
  const found = Object.hasOwn(HASHES, String(name).toLowerCase())
  if (found) return String(name).toLowerCase()
  throw new Error(`actions have no digest ${name}; use sha256 or sha512`)
}

const bytesOf = (data, encoding) =>
  typeof data === 'string'
    ? Buffer.from(data, encoding)
    : new Uint8Array(data.buffer ?? data, data.byteOffset, data.byteLength)

/* Collects the data, because ethers has no incremental hashes. */
function collector(compute) {
  const chunks = []
  let isDone = false
  return {
    update(data, encoding) {
      if (isDone) throw new Error('Digest already called')
      chunks.push(Uint8Array.from(bytesOf(data, encoding)))
      return this
    },
    digest(encoding) {
      if (isDone) throw new Error('Digest already called')
      isDone = true
      const result = Buffer.from(compute(Buffer.concat(chunks)).slice(2), 'hex')
      return encoding === undefined || encoding === 'buffer' ? result : result.toString(encoding)
    },
  }
}

export function createHash(name) {
  const algorithm = hashOf(name)
  return collector((data) => ethers.utils[algorithm](data))
}

export function createHmac(name, key) {
  const algorithm = hashOf(name)
  const secret = bytesOf(key)
  return collector((data) => ethers.utils.computeHmac(algorithm, secret, data))
}

export function randomBytes(size) {
  const bytes = Buffer.alloc(size)
  /* One call returns at most 65,536 bytes. */
  for (let at = 0; at < size; at += 65536) webcrypto.getRandomValues(bytes.subarray(at, at + 65536))
  return bytes
}

export const randomUUID = () => webcrypto.randomUUID()

export const getRandomValues = (array) => webcrypto.getRandomValues(array)

export function timingSafeEqual(one, other) {
  const [left, right] = [bytesOf(one), bytesOf(other)]
  if (left.length !== right.length)
    throw new RangeError('Input buffers must have the same byte length')
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= left[at] ^ right[at]
  return difference === 0
}

export const { subtle } = webcrypto
export { webcrypto }
export default {
  createHash,
  createHmac,
  getRandomValues,
  randomBytes,
  randomUUID,
  subtle,
  timingSafeEqual,
  webcrypto,
}
