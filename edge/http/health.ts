import { HEALTH_PATH } from '../../shared/wire/monitoring-paths.ts'
import { reasonsOf } from '../health/edge-health.ts'
import { readHealthSnapshot } from '../health/health-snapshot.ts'
import { isEdgeDownReason } from '../health/reasons.ts'
import { buildOf } from '../version.ts'
import type { App } from './app-env.ts'

/**
 * Responds with 200 even if the origin is unverified, because the edge itself works, and with 503 if the database is
 * unavailable.
 */
export function registerHealth(app: App): void {
  app.get(HEALTH_PATH, async (c) => {
    const { services } = c.var
    const { settings, now } = services
    const snapshot = await readHealthSnapshot(c.env, services)
    const reasons = reasonsOf(snapshot, now())
    const down = reasons.some(({ code }) => isEdgeDownReason(code))
    const status = down ? 'down' : reasons.length > 0 ? 'degraded' : 'ok'
    const body = {
      status,
      reasons,
      ...buildOf(settings),
      origin: { trust: settings.ORIGIN_TRUST, ...snapshot.origin },
    }
    const headers = { 'cache-control': 'no-store', ...(down && { 'retry-after': '5' }) }
    return c.json(body, down ? 503 : 200, headers)
  })
}
