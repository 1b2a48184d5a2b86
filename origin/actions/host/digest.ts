import { hash } from 'node:crypto'
import { lookAtTheClock } from '../ethers/cryptography/digests.ts'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'
import type { RunHooks } from './run-functions.ts'

/**
 * Data of this size takes milliseconds to hash, so the clock is checked first. A loop of such calls must not continue
 * past the deadline.
 */
const LOOK_FROM_BYTES = 1024 * 1024

/** Node's names of the digests, by their Web Crypto names. */
export const HASHES: Record<string, string> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

/** crypto.subtle.digest for the prelude (Web Crypto). */
export function digestFunctions(hooks: () => RunHooks): HostFunctions {
  return {
    webDigest: hostFunction(['text', 'bytes'], 'bytes', (name, bytes) => {
      const algorithm = HASHES[name]
      if (algorithm === undefined) throw new Error('there is no such digest')
      if (bytes.length >= LOOK_FROM_BYTES) lookAtTheClock(() => hooks().mustStop())
      return hash(algorithm, bytes, 'buffer')
    }),
  }
}
