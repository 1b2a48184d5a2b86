import { accountExistsAnswer } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** Whether the key that was sent resolves to an account; the one place where an unknown key is no 401. */
export const accountExists: Operation = {
  method: 'GET',
  path: '/core/v1/account_exists',
  summary: 'Whether the key that is sent resolves to an account.',
  auth: 'sent_key',
  answer: accountExistsAnswer,
  handle: async ({ principal }) => principal !== undefined,
}
