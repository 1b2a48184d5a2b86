import { expect, it } from 'vitest'
import { actionCid } from '../../../shared/cid/compute-cid.ts'

// The vectors of `test/shared/cid.test.ts`. In a Worker, WebCrypto computes the hash.
it.each([
  ['nothing', 0, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
  ['one chunk', 262_144, 'Qma81h2ZqbvJW2EQkiVUZ17aSvNWqAtvUPhh8mQBPU8W7c'],
  ['one byte more', 262_145, 'QmTaxvXcxpzzaatSEEAYr7t3knkJ6DmTVbr8MjJJWLRWpV'],
])('computes the same CID in a Worker for %s', async (_what, length, cid) => {
  expect(await actionCid('a'.repeat(length))).toBe(cid)
})
