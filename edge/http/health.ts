import { originHealth } from '../trust/trusted-keys.ts'
import type { App } from './app-env.ts'

/**
 * `GET /health`: whether this service answers, and what it verified of its origin, when, and under which root. 200 also
 * where nothing is verified: this service is there, and says so. It asks nobody but the object that verifies.
 */
export function registerHealth(app: App): void {
  app.get('/health', async (c) => {
    const { settings, now } = c.var.services
    const origin = { trust: settings.ORIGIN_TRUST, ...(await originHealth(c.env, now())) }
    const status = origin.reason === undefined ? 'ok' : 'degraded'
    return c.json({ status, origin }, 200, { 'cache-control': 'no-store' })
  })
}
