import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import type { IncidentRecord } from '../../shared/wire/alert.ts'
import { type Env, settingsOf } from '../env.ts'
import type { AlertChannels } from './alert-channels.ts'
import type { DueDelivery } from './alert-deliveries.ts'
import { alertEvent } from './alert-event.ts'
import { AttemptFailedError, UndeliverableError } from './attempt-failed-error.ts'
import { openChannelSecrets } from './channel-secrets.ts'
import { channelUrlProblem, type UrlPolicy } from './channel-url.ts'
import { sendWebhook } from './send-webhook.ts'

type ChannelSender = {
  env: Env
  userId: string
  channels: AlertChannels
  incidents: (ids: readonly number[]) => IncidentRecord[]
}

/**
 * Sends a delivery to a channel that the user added.
 * @returns the HTTP status of a webhook
 * @throws {AttemptFailedError}
 */
export async function sendToChannel(
  { env, userId, channels, incidents }: ChannelSender,
  { channelId, createdAt, incidentIds, messageId, test }: DueDelivery,
): Promise<number | null> {
  const channel = channels.byId(channelId!)
  if (!channel) throw new UndeliverableError('The channel was deleted.')
  if (!channel.enabled && !test) throw new UndeliverableError('The channel is disabled.')
  const listed = incidents(incidentIds)
  if (listed.length === 0 && !test) throw new UndeliverableError('The trigger was deleted.')
  const { ID_MAC_KEY, PUBLIC_URL } = settingsOf(env)
  const event = alertEvent(listed, { publicUrl: PUBLIC_URL, test, at: createdAt })
  const body = JSON.stringify(event)
  if (channel.trigger_id !== null)
    return fireTrigger(env, { userId, triggerId: channel.trigger_id, messageId: messageId!, body })
  const url = channel.url!
  // Checked again, because the rules may have changed since the URL was stored.
  const problem = channelUrlProblem(url, urlPolicyOf(env))
  if (problem) throw new UndeliverableError(`The URL is not allowed: ${problem.problem}.`)
  const { sealed, count } = channels.secretsOf(channel.id, Date.now())!
  const secrets = await openChannelSecrets({ userId, macKey: ID_MAC_KEY }, sealed)
  const webhook = { url, secrets: secrets.slice(0, count), messageId: messageId!, body }
  return sendWebhook(webhook, { fetch: (...request) => fetch(...request), now: Date.now })
}

export function urlPolicyOf(env: Env): UrlPolicy {
  const { PUBLIC_URL, SVC_ENV } = settingsOf(env)
  return { allowLoopback: !ENVIRONMENTS[SVC_ENV].isPublic, publicUrl: PUBLIC_URL }
}

type Alert = { userId: string; triggerId: string; messageId: string; body: string }

async function fireTrigger(env: Env, { userId, triggerId, messageId, body }: Alert): Promise<null> {
  const queue = env.TRIGGER_QUEUE.getByName(triggerId)
  const event = { id: messageId, body: new TextEncoder().encode(body) }
  const { state } = await queue.fireAlert(userId, event)
  switch (state) {
    case 'queued':
    case 'filtered':
      return null
    case 'unknown':
      throw new UndeliverableError('The trigger does not exist anymore.', { isGone: true })
    case 'disabled':
      throw new AttemptFailedError('The trigger is disabled.')
    case 'full':
      throw new AttemptFailedError('The queue of the trigger is full.')
  }
}
