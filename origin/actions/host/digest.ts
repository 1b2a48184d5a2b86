import { hash } from 'node:crypto'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** By the names of Web Crypto. */
const ALGORITHMS: Record<string, string> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

/** crypto.subtle.digest of the prelude (Web Crypto). */
export const digestFunctions: HostFunctions = {
  webDigest: hostFunction(['text', 'bytes'], 'bytes', (name, bytes) => {
    const algorithm = ALGORITHMS[name]
    if (algorithm === undefined) throw new Error('there is no such digest')
    return hash(algorithm, bytes, 'buffer')
  }),
}
