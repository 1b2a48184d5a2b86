import { accountExistsResponse } from '../../shared/wire/core.ts'
import type { Operation } from './operation.ts'

/** An unknown key gets a normal response instead of a 401. */
export const accountExistsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/account_exists',
  summary: 'Returns whether the key in the request resolves to an account.',
  auth: 'sent_key',
  responseSchema: accountExistsResponse,
  handle: async ({ principal }) => principal !== undefined,
}
