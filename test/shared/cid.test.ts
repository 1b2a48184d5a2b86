import { describe, expect, it } from 'vitest'
import { actionCid } from '../../shared/cid.ts'

// Found with an independent implementation: UnixFS, 262,144-byte chunks, 174 children a node, no raw leaves.
describe('the CID of a source', () => {
  it.each([
    ['one chunk', 262_144, 'Qma81h2ZqbvJW2EQkiVUZ17aSvNWqAtvUPhh8mQBPU8W7c'],
    ['one byte more', 262_145, 'QmTaxvXcxpzzaatSEEAYr7t3knkJ6DmTVbr8MjJJWLRWpV'],
    ['four chunks', 2 ** 20, 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'],
    [
      'more chunks than a node has children',
      262_144 * 175,
      'QmdmFwCfNaSQ7PUJYXudBACNCcPY1K3GXDfv4tNWMuwJ1J',
    ],
  ])('of %s', async (_name, length, cid) => {
    expect(await actionCid('a'.repeat(length))).toBe(cid)
  })
})
