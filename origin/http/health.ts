import { HEALTH_PATH } from '../../shared/wire/monitoring-paths.ts'
import type { OriginServices } from '../services.ts'
import type { OriginApp } from './operation.ts'

/**
 * Serves `GET /health`, which is public and cheap, because it only reads state in memory. Responds with 503 and
 * Retry-After if a load balancer should send requests elsewhere.
 */
export function mountHealth(app: OriginApp, { build, health }: OriginServices): void {
  app.get(HEALTH_PATH, (context) => {
    const state = { ...health.check(), ...build }
    context.header('cache-control', 'no-store')
    if (state.status !== 'down') return context.json(state)
    context.header('retry-after', '2')
    return context.json(state, 503)
  })
}
