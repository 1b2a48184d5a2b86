/** `GET /api/me` (specification, Identity): whose token this is. */
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'

export function registerMe(app: App): void {
  app.get('/api/me', async (c) => {
    const { id, email, tokenExpiresAt } = await requireUser(c)
    c.header('Cache-Control', 'no-store')
    return c.json({ id, email, token_expires_at: new Date(tokenExpiresAt).toISOString() })
  })
}
