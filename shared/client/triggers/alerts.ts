/** Alerts about triggers (`docs/alerts.md`). Times are in RFC 3339, in UTC. */
import type { z } from 'zod'
import type {
  AlertChannel,
  AlertDeliveriesResponse,
  alertSettingsRequest,
  triggerAlertSettingsRequest,
  AlertDelivery,
  AlertSettingsRecord,
  IncidentRecord,
  IncidentsResponse,
  TriggerAlertSettings,
} from '../../wire/alert.ts'
import { type Listing, listing } from '../core/listing.ts'
import type { CallOptions } from '../options.ts'
import { alertChannelOperations, type AlertChannelOperations } from './alert-channels.ts'
import { sendOnce } from './lost-responses.ts'
import { triggerBody, triggerIdOf, type TriggersParts } from './send-request.ts'

export type Incident = IncidentRecord
export type { AlertDelivery, TriggerAlertSettings }
export type AlertSettings = AlertSettingsRecord
/** Absent fields stay unchanged. */
export type AlertSettingsFields = z.input<typeof alertSettingsRequest>
/** Absent fields stay unchanged. */
export type TriggerAlertSettingsFields = z.input<typeof triggerAlertSettingsRequest>
export type IncidentFilter = {
  state?: Incident['state']
  triggerId?: string
}

export type DeliveryFilter = {
  /** Only deliveries to this channel. */
  channelId?: number
}

/** Operations of `client.triggers.alerts`. */
export type AlertOperations = {
  /** Lists incidents, newest first. */
  incidents(filter?: IncidentFilter, options?: CallOptions): Listing<Incident>
  settings(options?: CallOptions): Promise<AlertSettings>
  /** Changes the settings that apply to triggers without settings of their own. */
  change(fields: AlertSettingsFields, options?: CallOptions): Promise<AlertSettings>
  /**
   * Changes the settings of one trigger.
   *
   * @example changeTrigger(id, { muted: true })
   * @example changeTrigger(id, { thresholds: { failure_rate: 0.1 } })
   */
  changeTrigger(
    triggerId: string,
    fields: TriggerAlertSettingsFields,
    options?: CallOptions,
  ): Promise<TriggerAlertSettings>
  /** Lets the settings of the account apply to the trigger again. */
  resetTrigger(triggerId: string, options?: CallOptions): Promise<void>
  /** Lists the alerts that were sent in the last 30 days, newest first. */
  deliveries(filter?: DeliveryFilter, options?: CallOptions): Listing<AlertDelivery>
  /** Sends a test alert. Not retried. */
  test(channel: AlertChannel, options?: CallOptions): Promise<AlertDelivery>
  /** Webhooks and triggers that receive alerts. */
  channels: AlertChannelOperations
}

const PATH = '/api/alerts'
const CHECK_DELIVERIES_FIX = 'Before you retry, call alerts.deliveries() to check the outcome.'

export function alertOperations(parts: TriggersParts): AlertOperations {
  const get = <Body>(path: string, options?: CallOptions) =>
    triggerBody<Body>(parts, { method: 'GET', path, repeat: 'idempotent' }, options)
  // A change can be retried, because repeating it has no further effect.
  const change = <Body>(
    method: 'PATCH' | 'DELETE',
    path: string,
    json: object | undefined,
    options?: CallOptions,
  ) =>
    triggerBody<Body>(parts, { method, path, ...(json && { json }), repeat: 'idempotent' }, options)
  async function* pages<Page extends { next_cursor: string | null }>(
    list: string,
    filter: Record<string, string | undefined>,
    options?: CallOptions,
  ): AsyncGenerator<Page, void, undefined> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(filter))
      if (value !== undefined) query.set(name, value)
    for (;;) {
      const page = await get<Page>(`${PATH}/${list}?${query}`, options)
      yield page
      if (page.next_cursor === null) return
      query.set('cursor', page.next_cursor)
    }
  }
  return {
    incidents: ({ state, triggerId } = {}, options) =>
      listing(async function* () {
        const filter = { state, trigger_id: triggerId }
        for await (const page of pages<IncidentsResponse>('incidents', filter, options))
          yield page.incidents
      }),
    settings: (options) => get(`${PATH}/settings`, options),
    change: (fields, options) => change('PATCH', `${PATH}/settings`, fields, options),
    changeTrigger: async (triggerId, fields, options) =>
      change('PATCH', `${PATH}/triggers/${triggerIdOf(triggerId)}`, fields, options),
    async resetTrigger(triggerId, options) {
      await change('DELETE', `${PATH}/triggers/${triggerIdOf(triggerId)}`, undefined, options)
    },
    deliveries: ({ channelId } = {}, options) =>
      listing(async function* () {
        const filter = { channel_id: channelId === undefined ? undefined : String(channelId) }
        for await (const page of pages<AlertDeliveriesResponse>('deliveries', filter, options))
          yield page.deliveries
      }),
    channels: alertChannelOperations(parts),
    test(channel, options) {
      const write = { method: 'POST', path: `${PATH}/test`, json: { channel } } as const
      return sendOnce(parts, write, options, CHECK_DELIVERIES_FIX)
    },
  }
}
