import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  optionalField,
  requiredField,
  requestSchema,
  aliases,
} from '../../shared/wire/aliased-fields.ts'

const request = requestSchema({
  color: requiredField(aliases(z.string().toLowerCase(), 'color', 'colour')),
  size: optionalField(aliases(z.coerce.number(), 'size', 'magnitude')),
  on: requiredField(aliases(z.boolean(), 'on')),
})

const issuesOf = (value: unknown) =>
  request.safeParse(value).error?.issues.map(({ path, message }) => [path.join(), message])

describe('a request with several spellings per field', () => {
  it('returns each field once, under one name', () => {
    expect(request.parse({ colour: 'Red', magnitude: '3', on: false })).toEqual({
      color: 'red',
      size: 3,
      on: false,
    })
  })

  it('omits fields that were not sent, and ignores unknown ones', () => {
    expect(request.parse({ color: 'red', on: true, shape: 'round' })).toEqual({
      color: 'red',
      on: true,
    })
  })

  it('accepts spellings with equal values, and rejects contradicting ones by name', () => {
    expect(request.parse({ color: 'RED', colour: 'red', on: true }).color).toBe('red')
    expect(issuesOf({ color: 'red', colour: 'blue', on: true })).toEqual([
      ['color', 'conflicts with colour: send the field only once'],
    ])
    expect(issuesOf({ color: 'red', on: true, size: 1, magnitude: 2 })?.[0]?.[0]).toBe('size')
  })

  it('names the main spelling of a missing field, and the others', () => {
    expect(issuesOf({})).toEqual([
      ['color', 'required (also accepted as colour)'],
      ['on', 'required'],
    ])
  })

  it('describes every spelling, and requires one per required field', () => {
    const { properties, allOf } = z.toJSONSchema(request, { io: 'input' })
    expect(Object.keys(properties!)).toEqual(['color', 'colour', 'size', 'magnitude', 'on'])
    expect(allOf).toEqual([
      { anyOf: [{ required: ['color'] }, { required: ['colour'] }] },
      { required: ['on'] },
    ])
  })
})
