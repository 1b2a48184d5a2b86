import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ALERT_SIGNALS, alertDelivery } from '../../wire/alert.ts'
import { type AlertChannelRecord, alertChannelRecord } from '../../wire/alert-channel.ts'
import { ADDS, addTool, DESTROYS, type ToolParts, READS } from '../tool.ts'
import { triggerId } from './trigger-fields.ts'

const channelId = z.int().min(1).describe('ID of the channel, from list_alert_channels.')

/** Without the URL of a webhook, which can contain a secret that must not reach the model. */
const shownChannel = alertChannelRecord
  .omit({ url: true })
  .extend({ url_host: z.string().nullable().describe('Host of a webhook. Null for a trigger.') })

function withoutUrl({ url, ...channel }: AlertChannelRecord): z.infer<typeof shownChannel> {
  return shownChannel.parse({ ...channel, url_host: url === null ? null : new URL(url).host })
}

/**
 * Webhooks can be listed, tested and deleted, but not added: the response contains their secret, which must not reach the
 * model.
 */
export function addAlertChannelTools(server: McpServer, { session }: ToolParts): void {
  const channels = async () => (await session.triggers()).alerts.channels
  addTool(server, 'list_alert_channels', {
    title: 'List alert channels',
    description: 'Lists the webhooks and triggers that receive alerts.',
    input: z.strictObject({}),
    output: z.object({ channels: z.array(shownChannel) }),
    hints: READS,
    async run(_, signal) {
      const all = await (await channels()).list({ signal })
      return { channels: all.map(withoutUrl) }
    },
  })
  addTool(server, 'add_alert_trigger', {
    title: 'Add a trigger that receives alerts',
    description:
      'Makes alerts fire one of the webhook triggers of your user. To add a webhook instead, ask your user to run `svc alerts channel add-webhook <url>`, because it prints a secret that must not reach you.',
    input: z.strictObject({
      trigger_id: triggerId.describe('ID of the webhook trigger that receives the alerts.'),
      name: z.string().describe('Name of the channel.'),
      signals: z
        .array(z.enum(ALERT_SIGNALS))
        .min(1)
        .exactOptional()
        .describe('Only these signals. By default, those of the alert settings.'),
      about_trigger_ids: z
        .array(triggerId)
        .min(1)
        .exactOptional()
        .describe('Only alerts about these triggers. By default, about all.'),
    }),
    output: shownChannel,
    hints: ADDS,
    async run({ about_trigger_ids, ...fields }, signal) {
      const channel = {
        type: 'trigger',
        ...fields,
        ...(about_trigger_ids && { trigger_ids: about_trigger_ids }),
      } as const
      return withoutUrl(await (await channels()).create(channel, { signal }))
    },
  })
  addTool(server, 'test_alert_channel', {
    title: 'Test an alert channel',
    description:
      'Sends a test alert to a channel: a request to the URL of a webhook, or a run of a trigger.',
    input: z.strictObject({ channel_id: channelId }),
    output: alertDelivery,
    hints: ADDS,
    run: async ({ channel_id }, signal) => (await channels()).test(channel_id, { signal }),
  })
  addTool(server, 'delete_alert_channel', {
    title: 'Delete an alert channel',
    description: 'Deletes a channel, so that it receives no more alerts.',
    input: z.strictObject({ channel_id: channelId }),
    output: z.object({ channel_id: z.int(), deleted: z.literal(true) }),
    hints: DESTROYS,
    async run({ channel_id }, signal) {
      await (await channels()).delete(channel_id, { signal })
      return { channel_id, deleted: true as const }
    },
  })
}
