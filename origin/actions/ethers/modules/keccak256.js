/* global host -- a parameter of the function that wraps the bundle */
/* Replacement for @ethersproject/keccak256. The host computes the digests, instead of js-sha3. */
import { arrayify } from '@ethersproject/bytes'

const { keccak256: ofBytes, keccak256OfHex: ofHex } = host

export function keccak256(data) {
  if (typeof data === 'string') {
    const digest = ofHex(data, data.length)
    if (digest !== '') return digest
  }
  const bytes = arrayify(data)
  return ofBytes(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
