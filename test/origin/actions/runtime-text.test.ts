import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const SOME = { minLength: 50, maxLength: 150 }
/** Arbitrary UTF-16 units including lone surrogates, biased to the borders of their ranges. */
const units = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0, 0x7f, 0x80, 0x7ff, 0x800, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfeff, 0xffff),
      fc.integer({ min: 32, max: 126 }),
    ),
    { maxLength: 24 },
  )
  .map((codes) => String.fromCharCode(...codes))
/** Bytes that are often almost valid UTF-8. */
const bytes = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(
      0,
      0x41,
      0x80,
      0xbf,
      0xc2,
      0xe0,
      0xa0,
      0xed,
      0x9f,
      0xef,
      0xbb,
      0xf0,
      0x90,
      0xf4,
    ),
  ),
  { maxLength: 24 },
)

describe('TextEncoder', () => {
  it('encodes any text as Node does', () =>
    fc.assert(
      fc.asyncProperty(fc.array(units, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (text) => [...new TextEncoder().encode(text)]),
      ),
      { numRuns: 4 },
    ))

  it('encodes into limited space as Node does', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(units, fc.nat(40)), SOME), (inputs) =>
        sameAsNode(sandbox, inputs, ([text, room]) => {
          const target = new Uint8Array(room + 2).fill(7).subarray(1, room + 1)
          return [new TextEncoder().encodeInto(text, target), ...new Uint8Array(target.buffer)]
        }),
      ),
      { numRuns: 4 },
    ))

  it('encodes texts larger than a chunk, with surrogate pairs at the boundary', async () => {
    const inputs = [0, 1, 2, 3].map((shift) => 'a'.repeat(1024 * 1024 - shift))
    await sameAsNode(sandbox, inputs, (text) => {
      const encoded = new TextEncoder().encode(`${text}😀é\ud800`)
      return [encoded.length, ...encoded.subarray(-12)]
    })
  })
})

describe('TextDecoder', () => {
  it.each(['utf-8', 'utf-16le', 'utf-16be', 'latin1', 'koi8-r', 'windows-1253'])(
    'decodes any bytes of %s as Node does',
    (label) =>
      fc.assert(
        fc.asyncProperty(fc.array(bytes, SOME), fc.boolean(), fc.boolean(), (list, fatal, keep) =>
          sameAsNode(
            sandbox,
            list.map((input) => ({ input, label, options: { fatal, ignoreBOM: keep } })),
            (given) =>
              new TextDecoder(given.label, given.options).decode(new Uint8Array(given.input)),
          ),
        ),
        { numRuns: 4 },
      ),
  )

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'latin1'])(
    'decodes a stream of %s in arbitrary chunks as Node does',
    (label) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(bytes, { maxLength: 6 }), SOME),
          fc.boolean(),
          (lists, fatal) =>
            sameAsNode(
              sandbox,
              lists.map((pieces) => ({ pieces, label, fatal })),
              (given) => {
                const decoder = new TextDecoder(given.label, { fatal: given.fatal })
                const texts = given.pieces.map((piece) =>
                  decoder.decode(new Uint8Array(piece), { stream: true }),
                )
                // Compares only the whole text: Node may hold back more characters per call.
                return texts.join('') + decoder.decode()
              },
            ),
        ),
        { numRuns: 4 },
      ),
  )

  it('decodes bytes larger than a chunk, with characters at the boundary', async () => {
    const inputs = [0, 1, 2, 3].map((shift) => ({ shift }))
    await sameAsNode(sandbox, inputs, ({ shift }) => {
      const all = new Uint8Array(2 * 1024 * 1024).fill(0x61)
      all.set([0xf0, 0x9f, 0x98, 0x80], 1024 * 1024 - shift)
      const text = new TextDecoder().decode(all)
      return [text.length, text.codePointAt(1024 * 1024 - shift)]
    })
  })

  it('accepts every kind of view, and nothing else', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5, 6], (kind) => {
      const buffer = new Uint8Array([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68]).buffer
      const views = [
        buffer,
        new DataView(buffer, 1, 3),
        new Uint16Array(buffer, 2, 2),
        new Float64Array(buffer),
        'text',
        [0x61],
        {},
      ]
      return new TextDecoder().decode(views[kind] as ArrayBuffer)
    }))

  it('accepts the same labels as Node', () =>
    sameAsNode(
      sandbox,
      [
        'utf8',
        ' UTF-8\n',
        'unicode',
        'ascii',
        'latin1',
        'iso-8859-15',
        'x-user-defined',
        'nope',
        '',
      ],
      (label) => {
        const decoder = new TextDecoder(label, { fatal: true })
        return [decoder.encoding, decoder.fatal, decoder.ignoreBOM]
      },
    ))

  it('rejects encodings for which it could split characters', async () => {
    const code = `const main = () => {
      try { new TextDecoder('shift_jis') } catch (error) { return [error.name, error.message] }
    }`
    const message = 'TextDecoder: the encoding shift_jis is not supported'
    expect(await sandbox.value(code)).toEqual(['RangeError', message])
  })
})

describe('btoa and atob', () => {
  it('encode any text as Node does', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(units, fc.string({ unit: 'binary-ascii' })), SOME),
        (inputs) => sameAsNode(sandbox, inputs, (text) => btoa(text)),
      ),
      { numRuns: 4 },
    ))

  it('decode any text as Node does', () => {
    const character = fc.constantFrom(...'ABCDwxyz0189+/=== \t\n\f\r-_é\0')
    const nearly = fc.array(character, { maxLength: 12 }).map((list) => list.join(''))
    return fc.assert(
      fc.asyncProperty(fc.array(nearly, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (text) => atob(text)),
      ),
      { numRuns: 6 },
    )
  })

  it('preserve every byte, also in texts larger than a chunk', async () => {
    const code = `const main = () => {
      let all = ''
      for (let byte = 0; byte < 256; byte++) all += String.fromCharCode(byte)
      const long = all.repeat(8192) + 'x'
      return [atob(btoa(all)) === all, atob(btoa(long)) === long, btoa(long).length]
    }`
    expect(await sandbox.value(code)).toEqual([true, true, 4 * Math.ceil((256 * 8192 + 1) / 3)])
  })

  it('convert their argument, and throw an InvalidCharacterError', () =>
    sameAsNode(sandbox, [null, 12, true, 'é', '€', 'a', 'ab=='], (given) => {
      const attempt = (call: () => string) => {
        try {
          return call()
        } catch (error) {
          const { name, code } = error as DOMException
          return [name, code, error instanceof DOMException, error instanceof Error]
        }
      }
      return [attempt(() => btoa(given as string)), attempt(() => atob(given as string))]
    }))
})
