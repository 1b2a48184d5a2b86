import { z } from 'zod'
import {
  ALERTS_PAGE_DEFAULT,
  ALERTS_PAGE_MAX,
  CREDIT_LOW_CENTS_DEFAULT,
  CREDIT_LOW_CENTS_MAX,
  FAILURE_RATE_THRESHOLD,
  KEY_EXPIRING_DAYS_DEFAULT,
  KEY_EXPIRING_DAYS_MAX,
  QUEUE_SHARE_THRESHOLD,
} from '../limits.ts'
import { ALERT_SIGNALS, DEFAULT_ALERT_SIGNALS } from './alert-signals.ts'
import { integerText } from './fields.ts'

export { ALERT_SIGNALS, type AlertSignal, DEFAULT_ALERT_SIGNALS } from './alert-signals.ts'

export const ALERT_CHANNELS = ['mail'] as const
export type AlertChannel = (typeof ALERT_CHANNELS)[number]

/** Mail, and the types of the channels that users add (`alert-channel.ts`). */
export const DELIVERY_CHANNELS = [...ALERT_CHANNELS, 'webhook', 'trigger'] as const
export type DeliveryChannel = (typeof DELIVERY_CHANNELS)[number]

const time = z.iso.datetime()
const signals = z.array(z.enum(ALERT_SIGNALS)).max(ALERT_SIGNALS.length)
const channels = z.array(z.enum(ALERT_CHANNELS)).max(ALERT_CHANNELS.length)

const thresholds = z.object({
  expiry_days: z
    .int()
    .min(1)
    .max(KEY_EXPIRING_DAYS_MAX)
    .describe(
      `\`key_expiring\` opens when a usage key expires within this number of days, ${KEY_EXPIRING_DAYS_DEFAULT} by default.`,
    ),
  credit_cents: z
    .int()
    .min(1)
    .max(CREDIT_LOW_CENTS_MAX)
    .describe(
      `\`credit_low\` opens when the credit of an account is below this number of cents, ${CREDIT_LOW_CENTS_DEFAULT} by default.`,
    ),
})
export type AlertThresholds = z.infer<typeof thresholds>

const share = z.number().min(0.01).max(1).nullable()

const triggerThresholds = z.object({
  failure_rate: share.describe(
    `Share of failed runs at which \`failure_rate\` opens. Null for the default, ${FAILURE_RATE_THRESHOLD}.`,
  ),
  queue_share: share.describe(
    `Share of \`max_queued_runs\` at which \`queue_share\` opens. Null for the default, ${QUEUE_SHARE_THRESHOLD}.`,
  ),
})
export type TriggerAlertThresholds = z.infer<typeof triggerThresholds>

const alertSettingsFields = z.strictObject({
  signals: signals
    .optional()
    .describe(`Signals that alert. By default: ${DEFAULT_ALERT_SIGNALS.join(', ')}.`),
  channels: channels
    .optional()
    .describe('Built-in channels that receive alerts. `["mail"]` by default.'),
  muted: z
    .boolean()
    .optional()
    .describe('If true, no alerts are sent. Incidents are still recorded.'),
})

export const triggerAlertSettingsRequest = alertSettingsFields.extend({
  thresholds: z
    .strictObject(triggerThresholds.partial().shape)
    .optional()
    .describe('Thresholds of the trigger. Absent thresholds keep their values.'),
})
export type TriggerAlertSettingsChange = z.infer<typeof triggerAlertSettingsRequest>

export const alertSettingsRequest = alertSettingsFields.extend({
  thresholds: z
    .strictObject(thresholds.partial().shape)
    .optional()
    .describe('Absent thresholds keep their values.'),
})
export type AlertSettingsChange = z.infer<typeof alertSettingsRequest>

const triggerAlertSettings = z.object({
  trigger_id: z.string(),
  /** Null if the setting of the account applies. */
  signals: signals.nullable(),
  channels: channels.nullable(),
  muted: z.boolean(),
  thresholds: triggerThresholds,
})
export type TriggerAlertSettings = z.infer<typeof triggerAlertSettings>

export const alertSettingsRecord = z.object({
  signals,
  channels,
  muted: z.boolean(),
  thresholds,
  /** Channels that this deployment can use. */
  available_channels: channels,
  /** Triggers with settings of their own. */
  triggers: z.array(triggerAlertSettings),
})
export type AlertSettingsRecord = z.infer<typeof alertSettingsRecord>

export const triggerAlertSettingsRecord = triggerAlertSettings

export const incidentRecord = z.object({
  id: z.int(),
  /** Null if the incident is not about a trigger. */
  trigger_id: z.string().nullable(),
  /** Name of the trigger at its last report. Null if the incident is not about a trigger. */
  trigger_name: z.string().nullable(),
  /** Subject of an incident that is not about a trigger, such as the chain `base`. Null otherwise. */
  subject: z.string().nullable(),
  signal: z.enum(ALERT_SIGNALS),
  state: z.enum(['open', 'resolved']),
  opened_at: time,
  /** Time of the last report. */
  last_at: time,
  resolved_at: time.nullable(),
  /** Number of reports, such as failed runs. */
  count: z.int(),
  first_run_id: z.string().nullable(),
  last_run_id: z.string().nullable(),
  /**
   * Error code of the last failed run, reason for which a trigger is held or a chain lags, changed facts of the
   * evidence, expiry of a key, or remaining credit.
   */
  code: z.string().nullable(),
  message: z.string().nullable(),
})
export type IncidentRecord = z.infer<typeof incidentRecord>

const pageQuery = {
  limit: integerText
    .transform((limit) => Math.min(Math.max(limit, 1), ALERTS_PAGE_MAX))
    .default(ALERTS_PAGE_DEFAULT)
    .meta({ description: `Entries per page, 1 to ${ALERTS_PAGE_MAX}.` }),
  cursor: integerText
    .pipe(z.number().min(1))
    .optional()
    .meta({ description: '`next_cursor` of the previous page.' }),
}

export const incidentsQuery = z.object({
  ...pageQuery,
  state: z.enum(['open', 'resolved']).optional(),
  trigger_id: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Only incidents of this trigger.' }),
})
export type IncidentsQuery = z.infer<typeof incidentsQuery>

export const incidentsResponse = z.object({
  incidents: z.array(incidentRecord),
  /** Cursor of the next page. Null on the last page. */
  next_cursor: z.string().nullable(),
})
export type IncidentsResponse = z.infer<typeof incidentsResponse>

export const alertDelivery = z.object({
  id: z.int(),
  channel: z.enum(DELIVERY_CHANNELS),
  /** The channel that received the alert. Null for a mail, unless the mail is about a disabled channel. */
  channel_id: z.int().nullable(),
  state: z.enum(['pending', 'sent', 'failed']),
  test: z.boolean(),
  incident_ids: z.array(z.int()),
  created_at: time,
  ended_at: time.nullable(),
  attempts: z.int(),
  /** HTTP status of the last attempt of a webhook. Null without a response. */
  status_code: z.int().nullable(),
  /** Reason of the last failed attempt. */
  error: z.string().nullable(),
})
export type AlertDelivery = z.infer<typeof alertDelivery>

export const alertDeliveriesQuery = z.object({
  ...pageQuery,
  channel_id: integerText
    .pipe(z.number().min(1))
    .optional()
    .meta({ description: 'Only deliveries to this channel.' }),
})
export type AlertDeliveriesQuery = z.infer<typeof alertDeliveriesQuery>

export const alertDeliveriesResponse = z.object({
  deliveries: z.array(alertDelivery),
  next_cursor: z.string().nullable(),
})
export type AlertDeliveriesResponse = z.infer<typeof alertDeliveriesResponse>

export const alertTestRequest = z.strictObject({ channel: z.enum(ALERT_CHANNELS) })
