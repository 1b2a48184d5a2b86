import type { TriggerPreview } from '../../../shared/wire/preview.ts'
import { eventParams, type Firing } from '../../queue/firing.ts'
import { webhookUrlOf } from '../../queue/records.ts'

const SAMPLE_EVENT = '{"hello":"world"}'

export function previewWebhook(
  defaultParams: Record<string, unknown>,
  now: number,
  publicUrl: string,
): TriggerPreview {
  const firing: Firing = {
    source: 'webhook',
    method: 'POST',
    url: webhookUrlOf('TRIGGER_ID', publicUrl),
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    headers: { 'content-type': 'application/json', 'user-agent': 'preview' },
  }
  const event = new TextEncoder().encode(SAMPLE_EVENT)
  return { params: { ...defaultParams, ...eventParams(firing, event) } }
}
