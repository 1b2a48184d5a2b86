import { createHash, createHmac } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** Asked between two pieces of work; true when the run has no time left. */
export type MustStop = () => boolean

/** The digests that ethers has, by its names. */
export type DigestName = 'sha256' | 'sha512' | 'ripemd160'
const NAMES: readonly string[] = ['sha256', 'sha512', 'ripemd160']

/** Bytes between two looks at the clock: at noble's 100 MB/s they take 10 ms, well inside what a kill may take. */
const PIECE_BYTES = 1024 * 1024

/** @returns hex with 0x, as ethers writes digests */
export function keccak256(bytes: Uint8Array, mustStop: MustStop): string {
  if (bytes.length <= PIECE_BYTES) return hexOf(keccak_256(bytes))
  return hexOf(absorbed(keccak_256.create(), bytes, mustStop).digest())
}

/** @throws Error for a name that is none of the three */
export function digest(name: string, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(absorbed(createHash(known(name)), bytes, mustStop).digest())
}

/** @throws Error for a name that is none of the three */
export function hmac(name: string, key: Uint8Array, bytes: Uint8Array, mustStop: MustStop): string {
  return hexOf(absorbed(createHmac(known(name), key), bytes, mustStop).digest())
}

/** Throws when the run's time is up: whatever comes of it, the sandbox is stopped at its next look. */
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
