import { meResponse } from '../../shared/wire/me.ts'
import type { ApiOperation } from './api-operation.ts'

export const meOperation: ApiOperation = {
  method: 'get',
  path: '/api/me',
  id: 'me',
  scope: null,
  summary: 'Returns the user who approved the token.',
  success: { status: 200, schema: meResponse },
  handle: async (c, { user }) => {
    const { id, email, tokenExpiresAt, label, scopes } = user
    c.header('Cache-Control', 'no-store')
    const token_expires_at = new Date(tokenExpiresAt).toISOString()
    return c.json({ id, email, token_expires_at, label, scopes })
  },
}
