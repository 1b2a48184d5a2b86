import { runAction } from '@svc-run/cli/test'
import { expect, it } from 'vitest'

const run = await runAction({
  code: 'function main() { console.warn("careful"); return { a: 1 } }',
})
const failed = await runAction({ code: 'function main() { throw new Error("no") }' })

const failure = (assert: () => void): string => {
  try {
    assert()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the assertion passed')
}

it('say how the run ended', () => {
  expect(failure(() => expect(run).toRespondWith({ a: 2 }))).toMatch(
    /^expected the run to respond with .*The run returned .*careful/s,
  )
  expect(failure(() => expect(failed).toRespondWith({ a: 2 }))).toMatch(
    /The run failed with action_threw: Error: no\n {4}at main/,
  )
  expect(failure(() => expect(run).toFailWith('action_threw'))).toContain('The run returned')
  expect(failure(() => expect(failed).toFailWith('no_main'))).toContain('action_threw')
  expect(failure(() => expect(failed).toFailWith('action_threw', 'yes'))).toContain('"yes"')
})

it('list what the run did', () => {
  expect(failure(() => expect(run).toHaveRequested('https://a.example/'))).toContain(
    'Requests:\n  none',
  )
  expect(failure(() => expect(run).toHaveSigned())).toContain('Signatures:\n  none')
  expect(failure(() => expect(run).toHaveSent({ value: 5n }))).toContain('Transactions:\n  none')
})

it('can be negated', () => {
  expect(run).not.toRespondWith({ a: 2 })
  expect(failure(() => expect(run).not.toRespondWith({ a: 1 }))).toContain('not to respond')
  expect(failure(() => expect(failed).not.toFailWith('action_threw'))).toContain('not to fail')
})

it('reject what is not a run', () => {
  expect(failure(() => expect('a').toRespondWith('a'))).toBe('expected the result of runAction')
})
