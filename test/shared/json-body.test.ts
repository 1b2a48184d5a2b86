import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { parseJson, validate } from '../../shared/json/json-body.ts'
import { addUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { outcomesRequestSchema } from '../../shared/wire/sealed.ts'

function refusal(act: () => unknown): [number, string] {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.message]
    throw error
  }
  throw new Error('it was not refused')
}

describe('a body', () => {
  it.each([null, 'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
    'of type %s is JSON',
    (type) => {
      expect(parseJson('{"a":1}', type)).toEqual({ a: 1 })
    },
  )

  it.each(['application/problem+json', 'application/vnd.api+json'])(
    'of +json type %s is JSON',
    (type) => {
      expect(parseJson('[]', type)).toEqual([])
    },
  )

  it.each(['', 'text/html', 'text/json', 'application/jsonp', 'xapplication/json', 'multipart/x'])(
    'of type %j is rejected',
    (type) => {
      expect(refusal(() => parseJson('{}', type))[0]).toBe(415)
    },
  )

  it('that is empty counts as {} if optional, whatever its type', () => {
    expect(parseJson('', 'text/plain', true)).toEqual({})
    expect(refusal(() => parseJson('', null))[0]).toBe(400)
  })

  it('slow type: a content type that causes backtracking is rejected at once', () => {
    const began = performance.now()
    const hostile = `application/${'a+'.repeat(8_000)}`
    expect(refusal(() => parseJson('{}', hostile))[0]).toBe(415)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

describe('validation', () => {
  const schema = z.object({
    list: z.array(z.object({ n: z.int().max(9) })).max(3),
    kind: z.enum(['a', 'b']),
    either: z.union([z.literal(0), z.string().regex(/^x/)]).optional(),
  })
  const of = (value: unknown) => refusal(() => validate(schema, value))

  it('names the field, with its index in a list', () => {
    expect(of({ kind: 'a', list: [{ n: 1 }, { n: 'x' }] })[1]).toContain('list[1].n:')
    expect(of(null)[1]).toContain('body:')
  })

  it('distinguishes a wrong type (422) from a wrong value (400)', () => {
    const list: object[] = []
    expect(of({ list, kind: 5 })[0]).toBe(422)
    expect(of({ list })[0]).toBe(422)
    expect(of({ list, kind: 'c' })[0]).toBe(400)
    expect(of({ list, kind: 'a', either: true })[0]).toBe(422)
    expect(of({ list, kind: 'a', either: null })[0]).toBe(422)
    expect(of({ list, kind: 'a', either: 1 })[0]).toBe(400)
    expect(of({ list, kind: 'a', either: 'y' })[0]).toBe(400)
    expect(of({ list: [{ n: 1.5 }], kind: 'a' })[0]).toBe(400)
    expect(of({ list: [{ n: 10 }], kind: 'a' })[0]).toBe(400)
  })

  it('answers 422 if one field is missing and another has a bad value', () => {
    expect(of({ list: [{ n: 10 }] })[0]).toBe(422)
  })

  it('flood: a long list of wrong values causes one error message, not one each', () => {
    const wrong = Array<number>(500_000).fill(5)
    const ids = { request_id: 'a'.repeat(22), issued_at: 1, expires_at: 2, wait_ms: 0 }
    const [, outcomes] = refusal(() => validate(outcomesRequestSchema, { ...ids, run_ids: wrong }))
    expect(outcomes.length).toBeLessThan(200)
    const groups = Array<string>(500_000).fill('x')
    const key = { name: 'k', execute_in_groups: groups }
    expect(refusal(() => validate(addUsageApiKeyRequest, key))[1].length).toBeLessThan(200)
  })
})
