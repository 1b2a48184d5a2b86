import { expect, it } from 'vitest'
import { summarizeFailure } from '../../../edge/reports/failure-summary.ts'

it.each([
  [
    'TypeError: x is not a function\n    at main (action.js:2:3)\n    at run (action.js:9:1)',
    {
      code: 'action_threw',
      message: 'TypeError: x is not a function',
      frame: 'at main (action.js:2:3)',
    },
  ],
  [
    'action_timeout: The action exceeded its time.',
    { code: 'action_timeout', message: 'The action exceeded its time.', frame: null },
  ],
  [
    '403 action_not_permitted: The key cannot execute it. Add it.',
    { code: 'action_not_permitted', message: 'The key cannot execute it. Add it.', frame: null },
  ],
  ['', { code: 'action_threw', message: '', frame: null }],
  [
    'Error: two\nlines at once\n  at f (a.js:1:1)',
    { code: 'action_threw', message: 'Error: two\nlines at once', frame: 'at f (a.js:1:1)' },
  ],
])('summarizes %j', (error, summary) => expect(summarizeFailure(error)).toEqual(summary))

it('shortens a long message and a long frame', () => {
  const { message, frame } = summarizeFailure(`${'x'.repeat(10_000)}\n    at ${'y'.repeat(10_000)}`)
  expect([message.length, frame!.length]).toEqual([500, 200])
})
