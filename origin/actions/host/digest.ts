import { hash } from 'node:crypto'
import { requireTimeLeft } from '../ethers/cryptography/digests.ts'
import { type HostFunctions, hostFunction } from './host-function.ts'
import type { RunHooks } from './run-functions.ts'

/**
 * Minimum size of data for which the clock is checked before hashing. Hashing such data takes milliseconds, and a loop
 * of such calls must not continue past the run's deadline.
 */
const CLOCK_CHECK_MIN_BYTES = 1024 * 1024

/** Node's names of hash algorithms, by Web Crypto name. */
export const NODE_HASHES: Record<string, string> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

export function digestFunctions(hooks: () => RunHooks): HostFunctions {
  return {
    webDigest: hostFunction(['text', 'bytes'], 'bytes', (name, bytes) => {
      const algorithm = NODE_HASHES[name]
      if (algorithm === undefined) throw new Error('unknown digest')
      if (bytes.length >= CLOCK_CHECK_MIN_BYTES) requireTimeLeft(() => hooks().mustStop())
      return hash(algorithm, bytes, 'buffer')
    }),
  }
}
