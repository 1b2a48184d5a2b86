/** Channels that a user adds to receive alerts: webhooks, and triggers of the user (`docs/alerts.md`). */
import { z } from 'zod'
import {
  ALERT_CHANNEL_TRIGGERS_MAX,
  ALERT_CHANNELS_MAX,
  ALERT_URL_MAX_CHARACTERS,
} from '../limits.ts'
import { ALERT_SIGNALS } from './alert.ts'
import { nameSchema } from './fields.ts'

export const ALERT_CHANNEL_TYPES = ['webhook', 'trigger'] as const
export type AlertChannelType = (typeof ALERT_CHANNEL_TYPES)[number]

const time = z.iso.datetime()
const signals = z.array(z.enum(ALERT_SIGNALS)).min(1).max(ALERT_SIGNALS.length)
const triggerIds = z.array(z.string().max(64)).min(1).max(ALERT_CHANNEL_TRIGGERS_MAX)
const url = z.string().min(1).max(ALERT_URL_MAX_CHARACTERS)

const filters = {
  signals: signals
    .nullable()
    .optional()
    .describe(
      'Signals that are sent to the channel. If null or absent, the `signals` of the settings apply.',
    ),
  trigger_ids: triggerIds
    .nullable()
    .optional()
    .describe('Only alerts about these triggers. All triggers if null or absent.'),
}

export const alertChannelRequest = z
  .strictObject({
    type: z.enum(ALERT_CHANNEL_TYPES),
    name: nameSchema,
    url: url
      .optional()
      .describe('For a webhook: the `https` URL that receives alerts as POST requests.'),
    trigger_id: z
      .string()
      .max(64)
      .optional()
      .describe('For a trigger: the ID of your webhook trigger that alerts fire.'),
    ...filters,
  })
  .superRefine(({ type, url: given, trigger_id }, context) => {
    const [own, other] =
      type === 'webhook' ? (['url', 'trigger_id'] as const) : (['trigger_id', 'url'] as const)
    const values = { url: given, trigger_id }
    if (values[own] === undefined)
      context.addIssue({ code: 'custom', path: [own], message: `required for a ${type}` })
    if (values[other] !== undefined)
      context.addIssue({ code: 'custom', path: [other], message: `not allowed for a ${type}` })
  })
export type NewAlertChannel = z.infer<typeof alertChannelRequest>

/** Returns the URL or the trigger ID. */
export const channelTarget = ({ type, url: given, trigger_id }: NewAlertChannel): string =>
  (type === 'webhook' ? given : trigger_id)!

export const alertChannelChangeRequest = z.strictObject({
  name: nameSchema.optional(),
  url: url.optional().describe('Only for channels of the type `webhook`.'),
  ...filters,
  enabled: z
    .boolean()
    .optional()
    .describe(
      'If false, the channel receives no alerts. True also ends a disablement by the service.',
    ),
})
export type AlertChannelChange = z.infer<typeof alertChannelChangeRequest>

export const alertChannelRecord = z.object({
  id: z.int(),
  type: z.enum(ALERT_CHANNEL_TYPES),
  name: z.string(),
  /** Null for a trigger. */
  url: z.string().nullable(),
  /** Null for a webhook. */
  trigger_id: z.string().nullable(),
  signals: signals.nullable(),
  trigger_ids: triggerIds.nullable(),
  enabled: z.boolean(),
  /** `owner`, `failing` for days, or `gone`: the receiver responded with 410, or does not exist anymore. */
  disabled_reason: z.enum(['owner', 'failing', 'gone']).nullable(),
  created_at: time,
  last_success_at: time.nullable(),
  /** Time of the first failed attempt since the last success. */
  failing_since: time.nullable(),
})
export type AlertChannelRecord = z.infer<typeof alertChannelRecord>

/** The secret is returned only by the operations that create it. */
export const alertChannelWithSecret = alertChannelRecord.extend({
  secret: z
    .string()
    .nullable()
    .describe('Verifies the signatures of a webhook. Null for a trigger. Shown only once.'),
})
export type AlertChannelWithSecret = z.infer<typeof alertChannelWithSecret>

export const alertChannelsResponse = z.object({
  channels: z.array(alertChannelRecord).max(ALERT_CHANNELS_MAX),
})
export type AlertChannelsResponse = z.infer<typeof alertChannelsResponse>
