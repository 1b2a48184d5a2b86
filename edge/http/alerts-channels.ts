import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { ALERT_CHANNELS_MAX } from '../../shared/limits.ts'
import { type AlertDelivery, alertDelivery } from '../../shared/wire/alert.ts'
import {
  type AlertChannelChange,
  alertChannelChangeRequest,
  alertChannelRecord,
  alertChannelRequest,
  alertChannelsResponse,
  alertChannelWithSecret,
  channelTarget,
  type NewAlertChannel,
} from '../../shared/wire/alert-channel.ts'
import { channelUrlProblem } from '../alerts/channel-url.ts'
import { urlPolicyOf } from '../alerts/send-to-channel.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { ApiOperation } from './api-operation.ts'
import type { AppEnv } from './app-env.ts'
import { notFound } from './trigger-lookup.ts'

const BODY_MAX_BYTES = 16 * 1024

const reportsOf = (c: Context<AppEnv>, userId: string) => c.env.USER_REPORTS.getByName(userId)

export const listAlertChannelsOperation: ApiOperation = {
  method: 'get',
  path: '/api/alerts/channels',
  id: 'list_alert_channels',
  scope: 'triggers:read',
  summary: 'Lists the webhooks and triggers that receive your alerts.',
  success: { status: 200, schema: alertChannelsResponse },
  handle: async (c, { user }) => c.json({ channels: await reportsOf(c, user.id).alertChannels() }),
}

export const createAlertChannelOperation: ApiOperation<NewAlertChannel> = {
  method: 'post',
  path: '/api/alerts/channels',
  id: 'create_alert_channel',
  scope: 'triggers:write',
  summary: 'Adds a webhook or a trigger that receives your alerts.',
  body: { schema: alertChannelRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 201, schema: alertChannelWithSecret },
  failures: [409],
  handle: async (c, { user, body }) => c.json(await createAlertChannel(c, user.id, body), 201),
}

export const patchAlertChannelOperation: ApiOperation<AlertChannelChange> = {
  method: 'patch',
  path: '/api/alerts/channels/{id}',
  id: 'patch_alert_channel',
  scope: 'triggers:write',
  summary: 'Changes a channel. Absent fields keep their values.',
  body: { schema: alertChannelChangeRequest, maxBytes: BODY_MAX_BYTES },
  success: { status: 200, schema: alertChannelRecord },
  handle: async (c, { user, id, body }) => {
    const reports = reportsOf(c, user.id)
    const known = (await reports.alertChannels()).find((channel) => channel.id === channelId(id))
    if (!known) throw notFound('channel')
    if (body.url !== undefined) {
      if (known.type !== 'webhook')
        throw refused('url', 'this channel is a trigger', 'Add another channel for the URL.')
      requireAllowedUrl(c, body.url)
    }
    await requireOwnTriggers(c, user.id, body.trigger_ids)
    return found(c, await reports.changeAlertChannel(known.id, body))
  },
}

export const deleteAlertChannelOperation: ApiOperation = {
  method: 'delete',
  path: '/api/alerts/channels/{id}',
  id: 'delete_alert_channel',
  scope: 'triggers:write',
  summary: 'Deletes a channel. Its past deliveries stay listed.',
  success: { status: 204 },
  handle: async (c, { user, id }) => {
    const isDeleted = await reportsOf(c, user.id).deleteAlertChannel(channelId(id))
    if (!isDeleted) throw notFound('channel')
    return c.body(null, 204)
  },
}

export const rotateAlertSecretOperation: ApiOperation = {
  method: 'post',
  path: '/api/alerts/channels/{id}/rotate-secret',
  id: 'rotate_alert_secret',
  scope: 'triggers:write',
  summary:
    'Replaces the secret of a webhook. For a day, webhooks have signatures with the new and the old secret.',
  success: { status: 200, schema: alertChannelWithSecret },
  handle: async (c, { user, id }) =>
    found(c, await reportsOf(c, user.id).rotateAlertSecret(channelId(id))),
}

export const testAlertChannelOperation: ApiOperation = {
  method: 'post',
  path: '/api/alerts/channels/{id}/test',
  id: 'test_alert_channel',
  scope: 'triggers:write',
  summary: 'Sends a test alert to a channel, once. The list of deliveries shows the result.',
  success: { status: 202, schema: alertDelivery },
  handle: async (c, { user, id }) => c.json(await testAlertChannel(c, user.id, channelId(id)), 202),
}

/** Also called by the page `/alerts`. @throws {ApiError} 404 */
export async function testAlertChannel(
  c: Context<AppEnv>,
  userId: string,
  id: number,
): Promise<AlertDelivery> {
  await c.var.services.requireRate('alert_test', userId)
  const delivery = await reportsOf(c, userId).testAlertChannel(id)
  if (!delivery) throw notFound('channel')
  return delivery
}

/**
 * Checks and stores a channel. Also called by the page `/alerts`.
 * @throws {ApiError} 409 or 422
 */
export async function createAlertChannel(
  c: Context<AppEnv>,
  userId: string,
  channel: NewAlertChannel,
): Promise<z.infer<typeof alertChannelWithSecret>> {
  const target = channelTarget(channel)
  if (channel.type === 'webhook') requireAllowedUrl(c, target)
  else await requireOwnWebhook(c, userId, target)
  await requireOwnTriggers(c, userId, channel.trigger_ids)
  const created = await reportsOf(c, userId).createAlertChannel(channel)
  if (created) return created
  throw new ApiError(
    409,
    `This account has ${ALERT_CHANNELS_MAX} alert channels, which is the maximum.`,
    'Delete channels that are no longer used.',
    { reason: 'too_many_channels' },
  )
}

/** Returns 0, which is the ID of no channel, for other text. */
export function channelId(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
}

function found(c: Context<AppEnv>, record: object | undefined): Response {
  if (!record) throw notFound('channel')
  return c.json(record, 200)
}

function requireAllowedUrl(c: Context<AppEnv>, url: string): void {
  const refusal = channelUrlProblem(url, urlPolicyOf(c.env))
  if (refusal) throw refused('url', refusal.problem, refusal.fix)
}

async function requireOwnWebhook(c: Context<AppEnv>, userId: string, id: string): Promise<void> {
  const kind = await ownKind(c, userId, id)
  if (kind === undefined) throw refused('trigger_id', 'you have no trigger with this ID')
  if (kind !== 'webhook')
    throw refused(
      'trigger_id',
      'the trigger is not a webhook',
      'Create a trigger of the kind webhook for alerts.',
    )
}

async function requireOwnTriggers(
  c: Context<AppEnv>,
  userId: string,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  const kinds = await Promise.all((ids ?? []).map((id) => ownKind(c, userId, id)))
  const unknown = kinds.indexOf(undefined)
  if (unknown >= 0) throw refused(`trigger_ids[${unknown}]`, 'you have no trigger with this ID')
}

async function ownKind(c: Context<AppEnv>, userId: string, id: string) {
  if (!(await isTriggerId(c.var.services.settings.ID_MAC_KEY, id))) return undefined
  return (await c.env.TRIGGER_QUEUE.getByName(id).kindAndAction(userId))?.kind
}

function refused(
  field: string,
  problem: string,
  fix = 'Send the ID of one of your triggers. GET /api/triggers lists them.',
): ApiError {
  return new ApiError(422, `${field}: ${problem}.`, fix)
}
