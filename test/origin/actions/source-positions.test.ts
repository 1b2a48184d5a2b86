import { describe, expect, it } from 'vitest'
import { formatInlineMap } from '../../../shared/build/inline-map.ts'
import { failed, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const CODE = `function check() {
  throw new TypeError('amount is missing')
}
async function main() {
  await null
  check()
}
`
const MAP = formatInlineMap({
  sources: ['src/check.ts', 'src/action.ts'],
  mappings: [[], [[2, 0, 11, 4]], [], [], [], [[2, 1, 20, 2]], []],
})
const stackOf = async (code: string) => failed(await sandbox.run(code)).stack

describe('a run of a built action that fails', () => {
  it('has positions in the author’s files', async () => {
    expect(await stackOf(CODE + MAP)).toBe(
      'TypeError: amount is missing\n    at check (src/check.ts:12:5)\n    at main (src/action.ts:21:3)',
    )
  })

  it('keeps positions that the map does not have', async () => {
    const map = formatInlineMap({ sources: ['a.ts'], mappings: [[], [[2, 0, 0, 0]]] })
    expect(await stackOf(CODE + map)).toMatch(/\(a\.ts:1:1\)\n.*\(action\.js:6:8\)$/)
  })

  it('keeps its stack if the map is hostile', async () => {
    const hostile = Buffer.from('{"version":3,"sources":["a\\nb"],"mappings":"AAAA"}')
    const line = `//# sourceMappingURL=data:application/json;base64,${hostile.toString('base64')}\n`
    expect(await stackOf(CODE + line)).toMatch(/check \(action\.js:2:22\)/)
  })

  it('has exact positions after characters of two UTF-16 units', async () => {
    const map = formatInlineMap({
      sources: ['a.ts'],
      mappings: [
        [],
        [
          [0, 0, 0, 0],
          [17, 0, 6, 0],
          [34, 0, 7, 0],
        ],
      ],
    })
    const code = `const fail = () => null.x\nconst main = () => ['🎉🎉🎉🎉', fail()]\n`
    const shifted = code.replace(/🎉/g, 'ab')
    const places = (stack: string) => stack.split('\n').slice(1)
    expect(places(await stackOf(code + map))).toEqual(places(await stackOf(shifted + map)))
    expect(await stackOf(code + map)).toMatch(/main \(a\.ts:8:1\)$/)
  })

  it('reports the line of an error outside main', async () => {
    const map = formatInlineMap({ sources: ['a.ts'], mappings: [[], [[0, 0, 6, 0]]] })
    expect(await stackOf(`const main = 1\nnull.f()\n${map}`)).toMatch(/at <eval> \(a\.ts:7:1\)$/)
  })
})
