import { accountExistsAnswer } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** Returns whether the key resolves to an account. This is the only operation where an unknown key is not a 401. */
export const accountExists: Operation = {
  method: 'GET',
  path: '/core/v1/account_exists',
  summary: 'Whether the key that is sent resolves to an account.',
  auth: 'sent_key',
  answer: accountExistsAnswer,
  handle: async ({ principal }) => principal !== undefined,
}
