import { OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { revokeByToken } from '../../oauth/grant-tokens.ts'
import { requiredParameter } from '../../oauth/parameters.ts'
import type { App } from '../app-env.ts'
import { handleOAuthForm } from './oauth-form.ts'

/** Responds with 200 also for an unknown token (RFC 7009, 2.2). */
export function registerOAuthRevocation(app: App): void {
  app.post(OAUTH_PATHS.revoke, (c) =>
    handleOAuthForm(c, async ({ form, clientId }) => {
      await revokeByToken(c.var.services, { token: requiredParameter(form, 'token'), clientId })
      return c.body(null, 200)
    }),
  )
}
