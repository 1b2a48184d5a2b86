import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import {
  type AlertDeliveriesQuery,
  alertDeliveriesQuery,
  alertDeliveriesResponse,
  alertDelivery,
  alertTestRequest,
  type IncidentsQuery,
  incidentsQuery,
  incidentsResponse,
} from '../../shared/wire/alert.ts'
import type { ApiOperation } from './api-operation.ts'

const BODY_MAX_BYTES = 1024

export const listIncidentsOperation: ApiOperation<undefined, IncidentsQuery> = {
  method: 'get',
  path: '/api/alerts/incidents',
  id: 'list_incidents',
  scope: 'triggers:read',
  summary: 'Lists the incidents of your triggers, newest first.',
  query: incidentsQuery,
  success: { status: 200, schema: incidentsResponse },
  handle: async (c, { user, query }) =>
    c.json(await c.env.USER_REPORTS.getByName(user.id).incidents(query)),
}

export const listAlertDeliveriesOperation: ApiOperation<undefined, AlertDeliveriesQuery> = {
  method: 'get',
  path: '/api/alerts/deliveries',
  id: 'list_alert_deliveries',
  scope: 'triggers:read',
  summary: 'Lists the alerts that were sent in the last 30 days, newest first.',
  query: alertDeliveriesQuery,
  success: { status: 200, schema: alertDeliveriesResponse },
  handle: async (c, { user, query }) =>
    c.json(await c.env.USER_REPORTS.getByName(user.id).alertDeliveries(query)),
}

export const testAlertOperation: ApiOperation<z.infer<typeof alertTestRequest>> = {
  method: 'post',
  path: '/api/alerts/test',
  id: 'test_alert',
  scope: 'triggers:write',
  summary: 'Sends a test alert.',
  body: { schema: alertTestRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 202, schema: alertDelivery },
  failures: [409],
  handle: async (c, { user, body: { channel } }) => {
    await c.var.services.requireRate('notice_mailbox', `alert_test ${user.id}`)
    const delivery = await c.env.USER_REPORTS.getByName(user.id).testAlert(channel)
    if (delivery) return c.json(delivery, 202)
    throw new ApiError(
      409,
      `channel: this deployment cannot send alerts by ${channel}.`,
      'GET /api/alerts/settings lists the channels that are available.',
      { reason: 'channel_unavailable' },
    )
  },
}
