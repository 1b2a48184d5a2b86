import { DrizzleQueryError } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { rootCauseText } from '../../../edge/db/root-cause-text.ts'

const MAIL = 'somebody@example.test'
const statement = (cause?: Error) => new DrizzleQueryError('select ? from "users"', [MAIL], cause)

it('log leak: returns the cause of a failed statement without its values', () => {
  const failed = statement(new Error('D1_ERROR: no such table: users'))
  expect(rootCauseText(failed)).toBe('Error: D1_ERROR: no such table: users')
  expect(rootCauseText(new Error('the index was not told', { cause: failed }))).toBe(
    rootCauseText(failed),
  )
})

it('log leak: hides the values of a statement that failed without a cause', () => {
  expect(String(statement())).toContain(MAIL)
  expect(rootCauseText(statement())).not.toContain(MAIL)
})

it('returns one short text for non-errors and long errors', () => {
  expect(rootCauseText('gone')).toBe('gone')
  expect(rootCauseText(undefined)).toBe('undefined')
  expect(rootCauseText(new TypeError('x'.repeat(10_000))).length).toBeLessThan(400)
})
