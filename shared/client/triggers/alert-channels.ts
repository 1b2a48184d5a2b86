/** Channels that receive alerts (`docs/alerts.md`). */
import type { z } from 'zod'
import type {
  AlertChannelChange,
  AlertChannelRecord,
  alertChannelRequest,
  AlertChannelsResponse,
  AlertChannelWithSecret,
} from '../../wire/alert-channel.ts'
import type { AlertDelivery } from '../../wire/alert.ts'
import type { CallOptions } from '../options.ts'
import { deleteOnce, sendOnce } from './lost-responses.ts'
import { alertChannelPath, triggerBody, type TriggersParts } from './send-request.ts'

export type AlertChannel = AlertChannelRecord
export type { AlertChannelWithSecret }
export type AlertChannelFields = z.input<typeof alertChannelRequest>
/** Absent fields stay unchanged. */
export type AlertChannelChanges = AlertChannelChange

/** Operations of `client.triggers.alerts.channels`. */
export type AlertChannelOperations = {
  list(options?: CallOptions): Promise<AlertChannel[]>
  /**
   * Adds a webhook or a trigger that receives alerts. Not retried.
   *
   * @returns the channel with the `secret` that verifies its webhooks, which is not shown again
   */
  create(fields: AlertChannelFields, options?: CallOptions): Promise<AlertChannelWithSecret>
  /** @example change(id, { enabled: true }) */
  change(id: number, fields: AlertChannelChanges, options?: CallOptions): Promise<AlertChannel>
  delete(id: number, options?: CallOptions): Promise<void>
  /** Replaces the secret of a webhook. The old one signs for a day longer. Not retried. */
  rotateSecret(id: number, options?: CallOptions): Promise<AlertChannelWithSecret>
  /** Sends a test alert once. `alerts.deliveries({ channelId: id })` lists the result. Not retried. */
  test(id: number, options?: CallOptions): Promise<AlertDelivery>
}

const PATH = '/api/alerts/channels'
const CHECK_CHANNELS_FIX =
  'A channel may have been added. Before you retry, look for it in alerts.channels.list(). If it exists, delete it, or replace its secret.'
const ROTATE_AGAIN_FIX =
  'The secret may have been replaced. Call alerts.channels.rotateSecret() again.'
const CHECK_TEST_FIX = 'Before you retry, call alerts.deliveries() to check the outcome.'

export function alertChannelOperations(parts: TriggersParts): AlertChannelOperations {
  return {
    async list(options) {
      const read = { method: 'GET', path: PATH, repeat: 'idempotent' } as const
      return (await triggerBody<AlertChannelsResponse>(parts, read, options)).channels
    },
    create: async (json, options) =>
      sendOnce(parts, { method: 'POST', path: PATH, json }, options, CHECK_CHANNELS_FIX),
    async change(id, json, options) {
      const path = alertChannelPath(id)
      const write = { method: 'PATCH', path, json, repeat: 'idempotent' } as const
      return triggerBody(parts, write, options)
    },
    delete: async (id, options) => deleteOnce(parts, alertChannelPath(id), options),
    async rotateSecret(id, options) {
      const write = { method: 'POST', path: `${alertChannelPath(id)}/rotate-secret` } as const
      return sendOnce(parts, write, options, ROTATE_AGAIN_FIX)
    },
    async test(id, options) {
      const write = { method: 'POST', path: `${alertChannelPath(id)}/test` } as const
      return sendOnce(parts, write, options, CHECK_TEST_FIX)
    },
  }
}
