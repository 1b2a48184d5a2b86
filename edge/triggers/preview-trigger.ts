import type { PreviewRequest, TriggerPreview } from '../../shared/wire/preview.ts'
import type { Chains } from '../chain/chain-settings.ts'
import { eventParams, type Firing } from '../queue/firing.ts'
import { nextTicks, timesOfDay } from '../schedule/cron.ts'
import { minimumInterval } from '../schedule/minimum-interval.ts'
import { nominalTime } from '../schedule/tick-run.ts'
import { requireAllowed } from './trigger-rules.ts'

/** Ticks that a preview of a schedule shows. */
const TICKS_SHOWN = 5

const SAMPLE_EVENT = '{"hello":"world"}'

/**
 * What a trigger would do, without making it.
 * @param publicUrl where webhooks of this service are
 * @throws {TriggerRefused} for what its creation would refuse
 */
export function previewTrigger(
  { kind, config, default_params }: PreviewRequest,
  now: number,
  publicUrl: string,
  chains: Chains,
): TriggerPreview {
  requireAllowed(kind, { config, default_params }, chains)
  if (kind !== 'schedule')
    return { params: { ...default_params, ...sampleOfWebhook(now, publicUrl) } }
  const cron = String(config.cron)
  const ticks = nextTicks(cron, now, TICKS_SHOWN)
  const firing = { source: 'schedule', scheduledAt: ticks[0]!, cron } as const
  return {
    next: ticks.map(nominalTime),
    min_interval_s: minimumInterval(timesOfDay(cron)),
    params: { ...default_params, ...eventParams(firing, new Uint8Array()) },
  }
}

/** What an action would be given for a small JSON event. */
function sampleOfWebhook(now: number, publicUrl: string): Record<string, unknown> {
  const firing: Firing = {
    source: 'webhook',
    method: 'POST',
    url: new URL('/webhook/TRIGGER_ID', publicUrl).href,
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    headers: { 'content-type': 'application/json', 'user-agent': 'preview' },
  }
  return eventParams(firing, new TextEncoder().encode(SAMPLE_EVENT))
}
