import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES = 0x800
const CODE_POINTS = 0x110000 - SURROGATES

/**
 * Strings of any code points, except lone surrogates. `fc.string({ unit: 'binary' })` generates the same strings, but
 * builds a map of all code points first, which takes a second and 100 MB in each process.
 */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint })
}

const codePoint = fc.nat(CODE_POINTS - 1).map(
  (index) => String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATES),
  (text) => {
    const found = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (found === undefined || text !== String.fromCodePoint(found))
      throw new Error('not a single code point')
    return found < SURROGATES_START ? found : found - SURROGATES
  },
)
