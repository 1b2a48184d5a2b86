import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import type { Accepted } from '../queue/intake.ts'
import type { AppEnv } from './app-env.ts'
import { notFound } from './owned-trigger.ts'

/**
 * Responds to an owner's request for a run: 202 with the run's ID, once the run is on disk.
 * @throws {ApiError} 404, 409, 429
 */
export function queuedRun(
  c: Context<AppEnv>,
  accepted: Accepted,
  unknown: 'trigger' | 'run',
): Response {
  switch (accepted.state) {
    case 'queued': {
      const location = `/api/runs/${accepted.runId}`
      return c.json({ run_id: accepted.runId, status: 'queued' }, 202, { location })
    }
    case 'unknown':
      throw notFound(unknown)
    case 'disabled':
      throw new ApiError(
        409,
        'The trigger is disabled, and nothing of it starts.',
        'Enable it with PATCH {"enabled": true}, then ask again.',
        { reason: 'trigger_disabled' },
      )
    case 'full':
      throw new ApiError(
        429,
        'The trigger’s queue is full.',
        'Ask again later, raise max_queued_runs or max_runs_per_minute, or purge the queue.',
        { headers: { 'retry-after': String(accepted.retryAfterS) } },
      )
  }
}
