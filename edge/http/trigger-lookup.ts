import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { triggerIdOfRun } from '../../shared/ids.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { AppEnv } from './app-env.ts'

const LISTS = {
  trigger: ['triggers', 'triggers'],
  run: ['triggers', 'triggers'],
  replay: ['replays', 'replays'],
  channel: ['alerts/channels', 'channels'],
  action: ['actions', 'actions'],
  version: ['actions/<id>/versions', 'versions'],
} as const

/**
 * Returns the error for an ID that is unknown, malformed, or belongs to another user. The error is identical in all
 * three cases.
 */
export function notFound(what: keyof typeof LISTS): ApiError {
  const [path, list] = LISTS[what]
  const key = what === 'version' ? 'number' : 'ID'
  return new ApiError(404, `No ${what} has this ${key}.`, `GET /api/${path} lists your ${list}.`)
}

/**
 * Checks the MAC in a trigger ID, so that no Durable Object is created for an invalid ID.
 * @throws {ApiError} 404 if the ID was not issued by this service
 */
export async function requireTriggerId(c: Context<AppEnv>, id: string): Promise<void> {
  if (!(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('trigger')
}

/** @throws {ApiError} 404 for an ID that this service did not issue */
export async function queueOf(c: Context<AppEnv>, id: string) {
  await requireTriggerId(c, id)
  return c.env.TRIGGER_QUEUE.getByName(id)
}

/** @throws {ApiError} 404 for an ID that this service did not issue */
export async function queueOfRun(c: Context<AppEnv>, runId: string) {
  const id = triggerIdOfRun(runId)
  if (!id || !(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) throw notFound('run')
  return c.env.TRIGGER_QUEUE.getByName(id)
}
