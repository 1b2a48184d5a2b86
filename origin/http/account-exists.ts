import { ApiError } from '../../shared/errors.ts'
import { apiKeyHash } from '../accounts/api-key.ts'
import { keyOf } from './authenticate.ts'
import type { OriginApp } from './operation.ts'
import type { Services } from '../services.ts'

/** Whether the key that was sent resolves to an account; the one place where an unknown key is no 401. */
export function mountAccountExists(app: OriginApp, { mirror }: Services): void {
  app.get('/core/v1/account_exists', (context) => {
    const key = keyOf(context.req.raw.headers)
    if (key === undefined)
      throw new ApiError(401, 'No API key was sent.', 'Send the key to look for in X-Api-Key.')
    return context.json(mirror.current().principal(apiKeyHash(key)) !== undefined)
  })
}
