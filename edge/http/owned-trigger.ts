import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { triggerOfRun } from '../../shared/ids.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { AppEnv } from './app-env.ts'

/** Returns the same 404 for an ID that is unknown, malformed, or belongs to another user. */
export function notFound(what: 'trigger' | 'run'): ApiError {
  return new ApiError(404, `There is no such ${what}.`, 'GET /api/triggers lists yours.')
}

/** @throws {ApiError} 404 for an ID that this service did not issue, so that no Durable Object is created for it */
export async function requireTriggerId(c: Context<AppEnv>, id: string): Promise<void> {
  if (!(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('trigger')
}

/**
 * Returns the Durable Object of a trigger.
 * @throws {ApiError} 404 for an ID that this service did not issue
 */
export async function queueOf(c: Context<AppEnv>, id: string) {
  await requireTriggerId(c, id)
  return c.env.TRIGGER_QUEUE.getByName(id)
}

/**
 * Returns the Durable Object that holds a run.
 * @throws {ApiError} 404 for an ID that this service did not issue
 */
export async function queueOfRun(c: Context<AppEnv>, runId: string) {
  const id = triggerOfRun(runId)
  if (!id || !(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('run')
  return c.env.TRIGGER_QUEUE.getByName(id)
}
