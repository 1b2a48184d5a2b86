import { pbkdf2Sync } from 'node:crypto'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { type MustStop, requireDigestName, requireTimeLeft } from './digests.ts'
import { mixLane } from './scrypt-mix.ts'

/**
 * Password-based key derivation. A derivation takes place within one host call, which the sandbox's interrupt handler
 * cannot stop. The functions therefore check the run's clock themselves, and throw when the time is up.
 */

/** Number of PBKDF2 rounds that Node computes in one call; about 10 ms with SHA-512. A mnemonic needs 2,048 rounds. */
const NATIVE_ROUNDS = 16_384

/** Number of PBKDF2 rounds between two clock checks in our own implementation; about 2 ms. */
const ROUNDS_PER_CHECK = 1_024

/**
 * Memory limit of one scrypt call. The memory is allocated in the executor, in addition to the sandbox's 64 MiB. The
 * limit permits the 256 MiB of a geth keystore, plus overhead; ethers' own keystores need half of that. An executor
 * computes only one scrypt call at a time.
 */
const SCRYPT_MAX_BYTES = 257 * 1024 * 1024

/**
 * Maximum sizes of the derived key and of scrypt's initial data (128 * r * p bytes). This data is computed before the
 * clock is first checked. ethers requests only keys of 32 or 64 bytes.
 */
const DERIVED_MAX_BYTES = 1024
const LANES_MAX_BYTES = 256 * 1024

/**
 * Maximum number of salt bytes that are hashed before the clock is first checked; about 50 ms. The salt is hashed once
 * for each block of the key, or of scrypt's initial data. Usual salts have 32 bytes. A mnemonic's passphrase, which is
 * part of the salt, is at most as long as a sentence.
 */
const SALTED_MAX_BYTES = 16 * 1024 * 1024

function requireShortSalt(salt: Uint8Array, derivedBytes: number): void {
  if (salt.length * Math.ceil(derivedBytes / sha256.outputLen) > SALTED_MAX_BYTES)
    throw new Error(`a salt of ${salt.length} bytes is too long for this key derivation`)
}

/**
 * Derives a key with PBKDF2 (RFC 8018).
 * @param name digest: sha256 or sha512
 * @param rounds at least 1
 * @param length size of the key in bytes, at most 1 KiB
 */
export function pbkdf2(
  name: string,
  password: Uint8Array,
  salt: Uint8Array,
  rounds: number,
  length: number,
  mustStop: MustStop,
): Uint8Array {
  const digest = requireDigestName(name)
  if (digest === 'ripemd160') throw new Error('unknown digest')
  if (!(rounds >= 1) || !(length >= 0) || !Number.isSafeInteger(length) || Number.isNaN(rounds))
    throw new Error('invalid key derivation parameters')
  if (length > DERIVED_MAX_BYTES)
    throw new Error(`a derived key can have at most ${DERIVED_MAX_BYTES} bytes`)
  requireShortSalt(salt, length)
  requireTimeLeft(mustStop)
  const hash = digest === 'sha256' ? sha256 : sha512
  const blocks = Math.ceil(length / hash.outputLen)
  if (rounds * blocks <= NATIVE_ROUNDS)
    return length === 0 ? new Uint8Array(0) : pbkdf2Sync(password, salt, rounds, length, digest)
  const keyed = hmac.create(hash, password)
  const key = new Uint8Array(blocks * hash.outputLen)
  for (let block = 0; block < blocks; block++) {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(block + 1)
    const sum = key.subarray(block * hash.outputLen, (block + 1) * hash.outputLen)
    let last = keyed.clone().update(salt).update(number).digest()
    sum.set(last)
    for (let round = 1; round < rounds; round++) {
      if (round % ROUNDS_PER_CHECK === 0) requireTimeLeft(mustStop)
      last = keyed.clone().update(last).digest()
      for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) ^ (last[at] ?? 0)
    }
    requireTimeLeft(mustStop)
  }
  return key.subarray(0, length)
}

/**
 * Derives a key with scrypt (RFC 7914).
 * @param cost the parameter `N`, a power of two
 * @throws Error if the memory limit would be exceeded
 */
export function scrypt(
  password: Uint8Array,
  salt: Uint8Array,
  cost: { N: number; r: number; p: number; length: number },
  mustStop: MustStop,
): Uint8Array {
  const { N, r, p, length } = cost
  if (![N, r, p, length].every((number) => Number.isSafeInteger(number) && number >= 1))
    throw new Error('invalid key derivation parameters')
  if (128 * r * (N + p + 1) > SCRYPT_MAX_BYTES)
    throw new Error(
      `scrypt with N=${N}, r=${r}, p=${p} needs more than the limit of ${SCRYPT_MAX_BYTES / 1024 / 1024} MiB`,
    )
  if (128 * r * p > LANES_MAX_BYTES)
    throw new Error(`scrypt with r=${r}, p=${p} exceeds the limit for r * p`)
  if (length > DERIVED_MAX_BYTES)
    throw new Error(`a derived key can have at most ${DERIVED_MAX_BYTES} bytes`)
  requireShortSalt(salt, 128 * r * p)
  requireTimeLeft(mustStop)
  // scrypt uses little-endian words, and these arrays use the machine's byte order. The code runs only on little-endian
  // machines.
  const lanes = new Int32Array(32 * r * p)
  const bytes = new Uint8Array(lanes.buffer)
  bytes.set(pbkdf2Sync(password, salt, 1, bytes.length, 'sha256'))
  const table = new Int32Array(32 * r * N)
  try {
    for (let lane = 0; lane < p; lane++)
      mixLane(lanes.subarray(32 * r * lane, 32 * r * (lane + 1)), N, table, mustStop)
  } finally {
    // Free the table immediately, because it may be four times as large as the sandbox, and garbage collection may be
    // late.
    table.buffer.transfer(0)
  }
  return pbkdf2Sync(password, bytes, 1, length, 'sha256')
}
