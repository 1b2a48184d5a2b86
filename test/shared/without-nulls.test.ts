import { expect, it } from 'vitest'
import { z } from 'zod'
import { withoutNulls } from '../../shared/json/without-nulls.ts'

const schema = z.strictObject({
  name: z.string(),
  limit: z.int().optional(),
  page: z.int().default(1),
  note: z.string().nullable().optional(),
  any: z.unknown(),
  options: z.strictObject({ depth: z.int().exactOptional() }).optional(),
  list: z.array(z.strictObject({ limit: z.int().optional() })).optional(),
})

it.each([
  [{ limit: null, page: null }, {}],
  [{ name: null }, { name: null }],
  [
    { note: null, any: null },
    { note: null, any: null },
  ],
  [{ options: null }, {}],
  [{ options: { depth: null } }, { options: {} }],
  [{ list: [{ limit: null }] }, { list: [{ limit: null }] }],
  [{ other: null }, { other: null }],
  [null, null],
  [[null], [null]],
])('reads %j as %j', (given, read) => {
  expect(withoutNulls(schema, given)).toEqual(read)
})

it('keeps a field called __proto__, so that it is rejected as unknown', () => {
  const given: unknown = JSON.parse('{"__proto__": null, "name": "x"}')
  expect(Object.keys(withoutNulls(schema, given) as object)).toEqual(['__proto__', 'name'])
})
