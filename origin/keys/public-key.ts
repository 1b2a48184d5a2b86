import { dataSlice, getAddress, getBytes, hexlify, keccak256 } from 'ethers'
import { pointFromScalar } from 'tiny-secp256k1'

/** Public key as an uncompressed secp256k1 point in 0x hex, and its EIP-55 address. */
export type PublicKey = { publicKey: string; address: string }

/**
 * Computes the public key and address of a private key in constant time. Uses libsecp256k1 in WebAssembly, which is
 * twice as fast as ethers 6 and four times as fast as OpenSSL. Speed matters because this function runs on the main
 * thread.
 * @param privateKey 0x hex of 32 bytes
 * @throws {Error} if the private key is zero, or not below the curve's order
 */
export function publicKeyOf(privateKey: string): PublicKey {
  const point = pointFromScalar(getBytes(privateKey), false)
  if (point === null) throw new Error('the private key is not valid on secp256k1')
  // The address is the last 20 bytes of the Keccak-256 hash of the point, without the point's prefix byte.
  const address = getAddress(dataSlice(keccak256(point.subarray(1)), 12))
  return { publicKey: hexlify(point), address }
}
