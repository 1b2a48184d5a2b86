import {
  alertTestRequest,
  alertSettingsRequest,
  triggerAlertSettingsRequest,
} from '../../shared/wire/alert.ts'
import { alertChannelChangeRequest, alertChannelRequest } from '../../shared/wire/alert-channel.ts'
import type { AlertChannelRecord } from '../../shared/wire/alert-channel.ts'
import type {
  AlertSettingsRecord,
  IncidentRecord,
  TriggerAlertSettings,
} from '../../shared/wire/alert.ts'

type Answer = { status?: number; body?: unknown }
type Call = { url: URL; body: unknown; id: string }

const AT = '2026-05-22T13:05:00.000Z'

export const CHANNEL_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Routes of `/api/alerts` with two incidents, of which a page contains one. */
export function alertRoutes(): [string, RegExp, (call: Call) => Answer][] {
  const settings: AlertSettingsRecord = {
    signals: ['run_failed'],
    channels: ['mail'],
    muted: false,
    thresholds: { expiry_days: 7, credit_cents: 500 },
    available_channels: ['mail'],
    triggers: [],
  }
  const channels: AlertChannelRecord[] = []
  const channelOf = (id: string) => channels.find((channel) => channel.id === Number(id))
  return [
    ['GET', /^\/api\/alerts\/channels$/, () => ({ body: { channels } })],
    [
      'POST',
      /^\/api\/alerts\/channels$/,
      ({ body }) => {
        const fields = alertChannelRequest.parse(body)
        const isWebhook = fields.type === 'webhook'
        const channel: AlertChannelRecord = {
          id: channels.length + 1,
          type: fields.type,
          name: fields.name,
          url: fields.url ?? null,
          trigger_id: fields.trigger_id ?? null,
          signals: fields.signals ?? null,
          trigger_ids: fields.trigger_ids ?? null,
          enabled: true,
          disabled_reason: null,
          created_at: AT,
          last_success_at: null,
          failing_since: null,
        }
        channels.push(channel)
        return { status: 201, body: { ...channel, secret: isWebhook ? CHANNEL_SECRET : null } }
      },
    ],
    [
      'PATCH',
      /^\/api\/alerts\/channels\/(\d+)$/,
      ({ id, body }) => {
        const { enabled = true } = alertChannelChangeRequest.parse(body)
        const channel = channelOf(id)
        if (!channel) return { status: 404, body: MISSING }
        channel.enabled = enabled
        channel.disabled_reason = enabled ? null : 'owner'
        return { body: channel }
      },
    ],
    [
      'DELETE',
      /^\/api\/alerts\/channels\/(\d+)$/,
      ({ id }) => {
        const at = channels.findIndex((channel) => channel.id === Number(id))
        if (at < 0) return { status: 404, body: MISSING }
        channels.splice(at, 1)
        return { status: 204 }
      },
    ],
    [
      'POST',
      /^\/api\/alerts\/channels\/(\d+)\/rotate-secret$/,
      ({ id }) => ({ body: { ...channelOf(id), secret: CHANNEL_SECRET } }),
    ],
    [
      'POST',
      /^\/api\/alerts\/channels\/(\d+)\/test$/,
      ({ id }) => ({
        status: 202,
        body: {
          ...DELIVERY,
          channel: channelOf(id)?.type,
          channel_id: Number(id),
          state: 'pending',
          test: true,
        },
      }),
    ],
    [
      'GET',
      /^\/api\/alerts\/incidents$/,
      ({ url: { searchParams } }) => {
        const state = searchParams.get('state')
        const cursor = Number(searchParams.get('cursor') ?? 3)
        const left = INCIDENTS.filter(
          (one) => one.id < cursor && (state === null || one.state === state),
        )
        const next_cursor = left.length > 1 ? String(left[0]!.id) : null
        return { body: { incidents: left.slice(0, 1), next_cursor } }
      },
    ],
    ['GET', /^\/api\/alerts\/settings$/, () => ({ body: settings })],
    [
      'PATCH',
      /^\/api\/alerts\/settings$/,
      ({ body }) => {
        const { thresholds, ...change } = alertSettingsRequest.parse(body)
        Object.assign(settings.thresholds, thresholds)
        return { body: Object.assign(settings, change) }
      },
    ],
    [
      'PATCH',
      /^\/api\/alerts\/triggers\/([\w-]+)$/,
      ({ id, body }) => {
        const { muted = false, thresholds } = triggerAlertSettingsRequest.parse(body)
        const own: TriggerAlertSettings = {
          trigger_id: id,
          signals: null,
          channels: null,
          muted,
          thresholds: { failure_rate: null, queue_share: null, ...thresholds } as never,
        }
        settings.triggers = [own]
        return { body: own }
      },
    ],
    [
      'DELETE',
      /^\/api\/alerts\/triggers\/([\w-]+)$/,
      () => {
        settings.triggers = []
        return { status: 204 }
      },
    ],
    [
      'GET',
      /^\/api\/alerts\/deliveries$/,
      () => ({ body: { deliveries: [DELIVERY], next_cursor: null } }),
    ],
    [
      'POST',
      /^\/api\/alerts\/test$/,
      ({ body }) => ({
        status: 202,
        body: { ...DELIVERY, ...alertTestRequest.parse(body), state: 'pending', test: true },
      }),
    ],
  ]
}

const incident = (id: number, over: Partial<IncidentRecord>): IncidentRecord => ({
  id,
  trigger_id: 'A'.repeat(32),
  trigger_name: 'orders',
  subject: null,
  signal: 'run_failed',
  state: 'open',
  opened_at: AT,
  last_at: AT,
  resolved_at: null,
  count: 7,
  first_run_id: 'A'.repeat(48),
  last_run_id: 'A'.repeat(48),
  code: 'action_threw',
  message: 'Error: No.',
  ...over,
})

const HELD = { first_run_id: null, last_run_id: null, code: 'payment', message: null }
const INCIDENTS = [
  incident(2, {}),
  incident(1, { signal: 'trigger_held', state: 'resolved', resolved_at: AT, ...HELD }),
]

const MISSING = { error: 'not_found', message: 'No channel has this ID.', fix: 'List them.' }

const DELIVERY = {
  id: 1,
  channel: 'mail',
  channel_id: null,
  state: 'sent',
  test: false,
  incident_ids: [2],
  created_at: AT,
  ended_at: AT,
  attempts: 1,
  status_code: null,
  error: null,
}
