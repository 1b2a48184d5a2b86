import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { maybe, oneOf, requestOf, spelled } from '../../shared/wire/spellings.ts'

const request = requestOf({
  color: oneOf(spelled(z.string().toLowerCase(), 'color', 'colour')),
  size: maybe(spelled(z.coerce.number(), 'size', 'magnitude')),
  on: oneOf(spelled(z.boolean(), 'on')),
})

const issuesOf = (value: unknown) =>
  request.safeParse(value).error?.issues.map(({ path, message }) => [path.join(), message])

describe('a request whose fields have several spellings', () => {
  it('gives each field once, under one name', () => {
    expect(request.parse({ colour: 'Red', magnitude: '3', on: false })).toEqual({
      color: 'red',
      size: 3,
      on: false,
    })
  })

  it('lacks what was not sent, and ignores what it does not know', () => {
    expect(request.parse({ color: 'red', on: true, shape: 'round' })).toEqual({
      color: 'red',
      on: true,
    })
  })

  it('takes spellings that mean the same, and refuses those that disagree, naming both', () => {
    expect(request.parse({ color: 'RED', colour: 'red', on: true }).color).toBe('red')
    expect(issuesOf({ color: 'red', colour: 'blue', on: true })).toEqual([
      ['color', 'another value than in colour; send the field once'],
    ])
    expect(issuesOf({ color: 'red', on: true, size: 1, magnitude: 2 })?.[0]?.[0]).toBe('size')
  })

  it('names the main spelling of what is missing, and the others beside it', () => {
    expect(issuesOf({})).toEqual([
      ['color', 'required (also taken as colour)'],
      ['on', 'required'],
    ])
  })

  it('describes itself: every spelling is there, and one of each required field is needed', () => {
    const { properties, allOf } = z.toJSONSchema(request, { io: 'input' })
    expect(Object.keys(properties!)).toEqual(['color', 'colour', 'size', 'magnitude', 'on'])
    expect(allOf).toEqual([
      { anyOf: [{ required: ['color'] }, { required: ['colour'] }] },
      { required: ['on'] },
    ])
  })
})
