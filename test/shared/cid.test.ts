import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actionCid, unixfsCid } from '../../shared/cid/compute-cid.ts'

// Computed with an independent implementation: UnixFS, 262,144-byte chunks, 174 children per node, no raw leaves.
describe('the CID of a source', () => {
  it.each([
    ['nothing', 0, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
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

  it('is computed from the UTF-8 bytes, not the characters', async () => {
    const text = 'é'.repeat(131_072)
    expect(await actionCid(text)).toBe(await unixfsCid(Buffer.from(text)))
    expect(await actionCid(`${text}a`)).toBe(await unixfsCid(Buffer.from(`${text}a`)))
    expect(await actionCid('😀\0\u2028')).toBe(await unixfsCid(Buffer.from('😀\0\u2028')))
  })
})

describe('the fast path for one chunk', () => {
  // Around lengths where protobuf needs one more byte, and around the end of a chunk.
  const edges = [0, 1, 2, 119, 120, 121, 127, 128, 129, 16_372, 16_383, 16_384, 16_385]
  it.each([...edges, 262_143, 262_144, 262_145])(
    'agrees with the library at %i bytes',
    async (n) => {
      const source = 'x'.repeat(n)
      expect(await actionCid(source)).toBe(await unixfsCid(Buffer.from(source)))
    },
  )

  it('agrees with the library for any source', async () => {
    const long = fc.tuple(fc.string({ minLength: 1 }), fc.nat({ max: 20_000 }))
    const source = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      long.map(([piece, times]) => piece.repeat(times).slice(0, 300_000)),
    )
    await fc.assert(
      fc.asyncProperty(source, async (text) => {
        expect(await actionCid(text)).toBe(await unixfsCid(Buffer.from(text)))
      }),
      { numRuns: 300 },
    )
  })
})
