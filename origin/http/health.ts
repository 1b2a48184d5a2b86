import { HEALTH_PATH } from '../../shared/wire/operating.ts'
import type { Services } from '../services.ts'
import type { OriginApp } from './operation.ts'

/**
 * `GET /health`: whether this process can do its work, and why not. Anybody may ask: it reads what the parts know of
 * themselves, and asks nobody. 503 with Retry-After where a balancer should send requests elsewhere.
 */
export function mountHealth(app: OriginApp, { health }: Services): void {
  app.get(HEALTH_PATH, (context) => {
    const state = health.look()
    context.header('cache-control', 'no-store')
    if (state.status !== 'down') return context.json(state)
    context.header('retry-after', '2')
    return context.json(state, 503)
  })
}
