/* global host -- the function around the bundle has it as its parameter */
/* In the place of @ethersproject/keccak256: js-sha3's digest from the host. */
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
