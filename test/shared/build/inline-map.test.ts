import { encode } from '@jridgewell/sourcemap-codec'
import { describe, expect, it } from 'vitest'
import {
  formatInlineMap,
  originalPosition,
  readInlineMap,
} from '../../../shared/build/inline-map.ts'

const MAP = {
  sources: ['src/action.ts', 'src/price.ts'],
  mappings: [[], [[4, 0, 9, 2], [20, 1, 0, 0], [30]]] satisfies Parameters<typeof encode>[0],
}
const PREFIX = '//# sourceMappingURL=data:application/json;base64,'
const line = (map: unknown) => `${PREFIX}${Buffer.from(JSON.stringify(map)).toString('base64')}\n`
const VALID = { version: 3, sources: ['a.ts'], names: [], mappings: encode([[[0, 0, 0, 0]]]) }

describe('an inline map', () => {
  it('is read from the last line of the source', () => {
    expect(readInlineMap(`const main = 1\n${formatInlineMap(MAP)}`)).toEqual(MAP)
  })

  it('gives the position of the last segment that starts at or before a column', () => {
    expect(originalPosition(MAP, 2, 5)).toBe('src/action.ts:10:3')
    expect(originalPosition(MAP, 2, 20)).toBe('src/action.ts:10:3')
    expect(originalPosition(MAP, 2, 21)).toBe('src/price.ts:1:1')
  })

  it('gives no position before the first segment of a line, in a package, or beyond the map', () => {
    expect(originalPosition(MAP, 2, 4)).toBeUndefined()
    expect(originalPosition(MAP, 2, 31)).toBeUndefined()
    expect(originalPosition(MAP, 1, 1)).toBeUndefined()
    expect(originalPosition(MAP, 0, 1)).toBeUndefined()
    expect(originalPosition(MAP, 99, 1)).toBeUndefined()
  })

  it('is left out if it would be too large to read', () => {
    const mappings = Array.from({ length: 120_000 }, (_, n) => [[0, 0, n, n % 7]]) as never
    expect(formatInlineMap({ sources: ['a.ts'], mappings })).toBe('')
  })

  it.each([
    ['no map', 'const main = 1\n'],
    ['text after the map', `\n${line(VALID)}const more = 1\n`],
    ['a map in the first line', line(VALID)],
    ['no base64', `\n${PREFIX}%%%\n`],
    ['no JSON', `\n${PREFIX}AAAA\n`],
    ['null', `\n${line(null)}`],
    ['another version', `\n${line({ ...VALID, version: 2 })}`],
    ['sources that are no array', `\n${line({ ...VALID, sources: 'a.ts' })}`],
    ['a source that is no text', `\n${line({ ...VALID, sources: [1] })}`],
    ['a source with a line break', `\n${line({ ...VALID, sources: ['a\nError: forged'] })}`],
    ['a source with an escape sequence', `\n${line({ ...VALID, sources: ['\u001b[2J'] })}`],
    ['a very long source', `\n${line({ ...VALID, sources: ['a'.repeat(301)] })}`],
    ['mappings that are no text', `\n${line({ ...VALID, mappings: [] })}`],
    ['a map beyond the limit', `\n${line({ ...VALID, mappings: ';'.repeat(512 * 1024) })}`],
  ])('is ignored in a source with %s', (_name, code) => {
    expect(readInlineMap(code)).toBeUndefined()
  })

  it.each(['!!!!', 'AAAA,gggggggggggggggggggggg', '\u0000', '/////////', 'DDDD;DDDD'])(
    'with the invalid mappings %j gives no invalid position',
    (mappings) => {
      const map = readInlineMap(`\n${line({ ...VALID, mappings })}`)!
      for (const [row, column] of [
        [1, 1],
        [1, 100],
        [2, 1],
      ] as const)
        expect(String(originalPosition(map, row, column))).toMatch(/^undefined$|^a\.ts:\d+:\d+$/)
    },
  )
})
