import type { TriggerPreview } from '../../../shared/wire/preview.ts'
import { eventParams } from '../../queue/firing.ts'
import { nextTicks } from '../../schedule/cron.ts'
import { minimumInterval } from '../../schedule/minimum-interval.ts'
import { nominalTime } from '../../schedule/tick-run.ts'

const TICKS_SHOWN = 5

export function previewSchedule(
  cron: string,
  defaultParams: Record<string, unknown>,
  now: number,
): TriggerPreview {
  const ticks = nextTicks(cron, now, TICKS_SHOWN)
  const firing = { source: 'schedule', scheduledAt: ticks[0]!, cron } as const
  return {
    next: ticks.map(nominalTime),
    min_interval_s: minimumInterval(cron).seconds,
    params: { ...defaultParams, ...eventParams(firing, new Uint8Array()) },
  }
}
