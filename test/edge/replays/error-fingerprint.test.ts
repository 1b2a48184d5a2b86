import { describe, expect, it } from 'vitest'
import { errorFingerprint, normalizedMessage } from '../../../edge/replays/error-fingerprint.ts'

const error = (message: string, over: { code?: string; frame?: string } = {}) =>
  errorFingerprint({ code: null, frame: '    at main (action.js:3:9)', message, ...over })

describe('errorFingerprint', () => {
  it.each([
    ['numbers', 'price 12.5 is over 3,000', 'price 7 is over 14'],
    ['hexadecimal values', 'no code at 0xAb12', 'no code at 0xffee01'],
    [
      'UUIDs',
      'order 7c9e6679-7425-40de-944b-e07fc1f90ae7 not found',
      'order 0f8fad5b-d9cb-469f-a165-70867728950e not found',
    ],
    ['quoted values', `unknown field "a b" in 'x'`, `unknown field "c" in 'y z'`],
    ['IDs of other services', 'no charge ch_3Nx2aKq9Zp', 'no charge ch_1Qw7bRt4Ym'],
    ['white space', 'a\n  b', 'a b'],
  ])('groups errors that differ only in %s', (_, one, other) => {
    expect(error(one)).toBe(error(other))
  })

  it('separates errors by words, code and function', () => {
    const all = [
      error('connection refused'),
      error('connection reset'),
      error('connection refused', { code: 'origin_lost' }),
      error('connection refused', { frame: '    at pay (action.js:3:9)' }),
    ]
    expect(new Set(all).size).toBe(all.length)
  })

  it('keeps the group after an edit that moves the line', () => {
    const moved = error('boom', { frame: '    at main (action.js:71:2)' })
    expect(moved).toBe(error('boom'))
  })

  it('does not treat an apostrophe as a quote', () => {
    expect(normalizedMessage("can't pay because it isn't due")).toBe(
      "can't pay because it isn't due",
    )
  })

  it('keeps long words', () => {
    expect(normalizedMessage('authentication-required')).toBe('authentication-required')
  })

  // Quadratic time would take minutes.
  it('ReDoS: takes linear time for hostile messages', () => {
    for (const part of ['"', "'", 'a-', '1,', '0x', ' ', 'a1'])
      expect(normalizedMessage(`${part.repeat(250_000)} end`)).toMatch(/end$/)
  })
})
