import { createHash, createHmac } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** Checked between two pieces of work; returns true if the run has no time left. */
export type MustStop = () => boolean

export type DigestName = 'sha256' | 'sha512' | 'ripemd160'
const NAMES: readonly string[] = ['sha256', 'sha512', 'ripemd160']

/** Bytes hashed between two clock checks: 10 ms at noble's 100 MB/s, well within the time that a kill may take. */
const PIECE_BYTES = 1024 * 1024

/** @returns hex with the 0x prefix, like ethers digests */
export function keccak256(bytes: Uint8Array, mustStop: MustStop): string {
  if (bytes.length <= PIECE_BYTES) return hexOf(keccak_256(bytes))
  return hexOf(absorbed(keccak_256.create(), bytes, mustStop).digest())
}

/** @throws Error if the name is not one of the three */
export function digest(name: string, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(absorbed(createHash(known(name)), bytes, mustStop).digest())
}

/** @throws Error if the name is not one of the three */
export function hmac(name: string, key: Uint8Array, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(absorbed(createHmac(known(name), key), bytes, mustStop).digest())
}

/** Throws if the run's time is up. Even if the error is caught, the sandbox is stopped at its next clock check. */
export function lookAtTheClock(mustStop: MustStop): void {
  if (mustStop()) throw new Error('the run has no time left')
}

export function known(name: string): DigestName {
  if (!NAMES.includes(name)) throw new Error('there is no such digest')
  return name as DigestName
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

function absorbed<H extends { update(piece: Uint8Array): unknown }>(
  hash: H,
  bytes: Uint8Array,
  mustStop: MustStop,
): H {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) lookAtTheClock(mustStop)
    hash.update(bytes.subarray(at, at + PIECE_BYTES))
  }
  return hash
}
