import { Interface } from 'ethers'
import { expect, it } from 'vitest'
import { revertReason } from '../../../origin/transactions/revert-reason.ts'

const errors = new Interface([
  'error Error(string)',
  'error Panic(uint256)',
  'error Paused(uint256 until)',
  'error Pair(address, string[] names)',
])
const reasonOf = (name: string, args: unknown[], known?: string[]) =>
  revertReason(
    { code: 3, message: 'execution reverted', data: errors.encodeErrorResult(name, args) },
    known,
  )

it('decodes Error(string) and Panic(uint256)', () => {
  expect(reasonOf('Error', ['paused'])).toBe('paused')
  expect(reasonOf('Panic', [0x11])).toBe('Panic(0x11): arithmetic overflow or underflow')
  expect(reasonOf('Panic', [0x99])).toBe('Panic(0x99)')
})

it('decodes custom errors by their signatures, and ignores invalid signatures', () => {
  const known = ['nonsense', 'error Paused(uint256 until)', 'error Pair(address, string[] names)']
  expect(reasonOf('Paused', [7], known)).toBe('Paused(until: 7)')
  const address = `0x${'11'.repeat(20)}`
  expect(reasonOf('Pair', [address, ['a', 'b']], known)).toBe(
    `Pair("${address}", names: ["a", "b"])`,
  )
  expect(reasonOf('Paused', [7])).toMatch(
    /^custom error 0x[0-9a-f]{8}; pass its signature in errors to decode it$/,
  )
})

it('falls back to the message of the node', () => {
  const failure = { code: -32_000, message: 'out of gas', data: undefined }
  expect(revertReason(failure)).toBe('out of gas')
  expect(revertReason({ ...failure, data: '0x08c379a0ff' })).toContain('custom error 0x08c379a0')
  expect(revertReason({ ...failure, message: '', data: '0x' })).toBe('reverted without a reason')
})

it('hostile reason: removes control characters, and shortens the text', () => {
  expect(reasonOf('Error', ['a\u001b[31m\nb'])).toBe('a [31m b')
  expect(reasonOf('Error', ['x'.repeat(10_000)])).toHaveLength(500)
})

it('never contains half of a surrogate pair, which the database would reject', () => {
  const smile = '\u{1f600}'
  for (const text of [`${'a'.repeat(498)}${smile}${'b'.repeat(9)}`, `node ${smile[0]}`]) {
    expect(reasonOf('Error', [text.toWellFormed()]).isWellFormed()).toBe(true)
    expect(revertReason({ code: 3, message: text, data: undefined }).isWellFormed()).toBe(true)
  }
})
