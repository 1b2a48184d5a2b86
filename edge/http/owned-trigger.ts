import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { triggerOfRun } from '../../shared/ids.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { AppEnv } from './app-env.ts'

/** The answer for an id that is unknown, malformed or another's: the same bytes for each (`decisions.md`). */
export function notFound(what: 'trigger' | 'run'): ApiError {
  return new ApiError(404, `There is no such ${what}.`, 'GET /api/triggers lists yours.')
}

/** @throws {ApiError} 404 for an id that we did not make: no object is addressed by it */
export async function requireTriggerId(c: Context<AppEnv>, id: string): Promise<void> {
  if (!(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('trigger')
}

/** The object of a trigger's id. @throws {ApiError} 404 for an id that we did not make */
export async function queueOf(c: Context<AppEnv>, id: string) {
  await requireTriggerId(c, id)
  return c.env.TRIGGER_QUEUE.getByName(id)
}

/** The object that has a run. @throws {ApiError} 404 */
export async function queueOfRun(c: Context<AppEnv>, runId: string) {
  const id = triggerOfRun(runId)
  if (!id || !(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('run')
  return c.env.TRIGGER_QUEUE.getByName(id)
}
