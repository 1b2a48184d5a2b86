import { expect, it } from 'vitest'
import { indentedJson } from '../../edge/browser/runs/pretty-json.ts'

it('equals JSON.stringify with indentation', () => {
  const value = { a: [1, { b: [] }, {}], text: 'x\ny', none: null }
  expect(indentedJson(value)).toBe(JSON.stringify(value, null, 2))
})

it('JSON BOMB: a wide response nested 400 deep does not expand to a gigabyte of indentation', () => {
  let wide: unknown = Array.from({ length: 200_000 }, () => 1)
  for (let depth = 0; depth < 400; depth++) wide = [wide]
  const text = indentedJson(wide)
  expect(text.length).toBeLessThan(1_000_000)
  expect(JSON.parse(text)).toEqual(wide)
})
