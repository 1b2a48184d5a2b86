import { createHash, createHmac } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** Returns true if the run has no time left. Long computations call this function at intervals. */
export type MustStop = () => boolean

type DigestName = 'sha256' | 'sha512' | 'ripemd160'
const NAMES: readonly string[] = ['sha256', 'sha512', 'ripemd160']

/**
 * Number of bytes hashed between two clock checks. Hashing them takes 10 ms at 100 MB/s, the speed of @noble/hashes,
 * which is short compared to the time that stopping a run may take.
 */
const PIECE_BYTES = 1024 * 1024

/** Computes the Keccak-256 digest as 0x hex, like ethers. */
export function keccak256(bytes: Uint8Array, mustStop: MustStop): string {
  if (bytes.length <= PIECE_BYTES) return hexOf(keccak_256(bytes))
  return hexOf(updateInPieces(keccak_256.create(), bytes, mustStop).digest())
}

/**
 * Computes a digest as 0x hex.
 * @throws Error if the algorithm is not a `DigestName`
 */
export function digest(name: string, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(updateInPieces(createHash(requireDigestName(name)), bytes, mustStop).digest())
}

/**
 * Computes an HMAC as 0x hex.
 * @throws Error if the algorithm is not a `DigestName`
 */
export function hmac(name: string, key: Uint8Array, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(updateInPieces(createHmac(requireDigestName(name), key), bytes, mustStop).digest())
}

/**
 * Throws if the run has no time left. Even if the action catches the error, the sandbox is stopped at its next clock
 * check.
 */
export function requireTimeLeft(mustStop: MustStop): void {
  if (mustStop()) throw new Error('the run is out of time')
}

export function requireDigestName(name: string): DigestName {
  if (!NAMES.includes(name)) throw new Error('unknown digest')
  return name as DigestName
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

function updateInPieces<H extends { update(piece: Uint8Array): unknown }>(
  hash: H,
  bytes: Uint8Array,
  mustStop: MustStop,
): H {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) requireTimeLeft(mustStop)
    hash.update(bytes.subarray(at, at + PIECE_BYTES))
  }
  return hash
}
