import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'

export function registerMe(app: App): void {
  app.get('/api/me', async (c) => {
    const { id, email, tokenExpiresAt, label, scopes } = await requireUser(c, null)
    c.header('Cache-Control', 'no-store')
    const token_expires_at = new Date(tokenExpiresAt).toISOString()
    return c.json({ id, email, token_expires_at, label, scopes })
  })
}
