import type { Context } from 'hono'
import {
  type AlertSettingsChange,
  alertSettingsRecord,
  alertSettingsRequest,
  type TriggerAlertSettings,
  type TriggerAlertSettingsChange,
  triggerAlertSettingsRecord,
  triggerAlertSettingsRequest,
} from '../../shared/wire/alert.ts'
import type { ApiOperation } from './api-operation.ts'
import type { AppEnv } from './app-env.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

const BODY_MAX_BYTES = 4 * 1024

export const getAlertSettingsOperation: ApiOperation = {
  method: 'get',
  path: '/api/alerts/settings',
  id: 'get_alert_settings',
  scope: 'triggers:read',
  summary: 'Returns which alerts you get, and the triggers with settings of their own.',
  success: { status: 200, schema: alertSettingsRecord },
  handle: async (c, { user }) =>
    c.json(await c.env.USER_REPORTS.getByName(user.id).alertSettings()),
}

export const patchAlertSettingsOperation: ApiOperation<AlertSettingsChange> = {
  method: 'patch',
  path: '/api/alerts/settings',
  id: 'patch_alert_settings',
  scope: 'triggers:write',
  summary: 'Changes which alerts you get. Absent fields keep their values.',
  body: { schema: alertSettingsRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 200, schema: alertSettingsRecord },
  handle: async (c, { user, body }) =>
    c.json(await c.env.USER_REPORTS.getByName(user.id).changeAlertSettings(body)),
}

export const patchTriggerAlertsOperation: ApiOperation<TriggerAlertSettingsChange> = {
  method: 'patch',
  path: '/api/alerts/triggers/{id}',
  id: 'patch_trigger_alerts',
  scope: 'triggers:write',
  summary:
    'Changes the alerts of one trigger, for example to mute it. Absent fields keep their values.',
  body: { schema: triggerAlertSettingsRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 200, schema: triggerAlertSettingsRecord },
  handle: async (c, { user, id, body }) => c.json(await changeTriggerAlerts(c, user.id, id, body)),
}

export const resetTriggerAlertsOperation: ApiOperation = {
  method: 'delete',
  path: '/api/alerts/triggers/{id}',
  id: 'reset_trigger_alerts',
  scope: 'triggers:write',
  summary: 'Deletes the settings of one trigger, so that those of the account apply.',
  success: { status: 204 },
  handle: async (c, { user, id }) => {
    const queue = await queueOf(c, id)
    if (!(await queue.kindAndAction(user.id))) throw notFound('trigger')
    await c.env.USER_REPORTS.getByName(user.id).resetTriggerAlerts(id)
    await queue.setAlertThresholds(user.id, { failure_rate: null, queue_share: null })
    return c.body(null, 204)
  },
}

/**
 * Changes the alerts of one trigger. Also called by the page `/alerts`.
 * @throws {ApiError} 404
 */
export async function changeTriggerAlerts(
  c: Context<AppEnv>,
  userId: string,
  id: string,
  change: TriggerAlertSettingsChange,
): Promise<TriggerAlertSettings> {
  const queue = await queueOf(c, id)
  if (!(await queue.kindAndAction(userId))) throw notFound('trigger')
  const changed = await c.env.USER_REPORTS.getByName(userId).changeTriggerAlerts(id, change)
  // If this call fails, the request fails too, and the client can repeat it.
  if (change.thresholds) await queue.setAlertThresholds(userId, changed.thresholds)
  return changed
}
