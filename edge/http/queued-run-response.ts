import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import type { IntakeResult } from '../queue/intake.ts'
import type { AppEnv } from './app-env.ts'
import { notFound } from './trigger-lookup.ts'

/**
 * Returns a 202 response for a run that is stored durably.
 * @throws {ApiError} 404, 409 or 429 if the run was not accepted
 */
export function queuedRunResponse(
  c: Context<AppEnv>,
  accepted: IntakeResult,
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
        'The trigger is disabled, so no run can start.',
        'Enable it with PATCH {"enabled": true}, then try again.',
        { reason: 'trigger_disabled' },
      )
    case 'full':
      throw new ApiError(
        429,
        'The trigger’s queue is full.',
        'Try again later, raise max_queued_runs or max_runs_per_minute, or purge the queue.',
        { headers: { 'retry-after': String(accepted.retryAfterS) } },
      )
  }
}
