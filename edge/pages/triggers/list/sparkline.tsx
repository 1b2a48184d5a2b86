import type { FC } from 'hono/jsx'
import type { ListedActivity } from '../../../../shared/wire/trigger.ts'

const HEIGHT = 20
const BAR = 3
const STEP = 4
/** Keeps a single run visible beside an hour with thousands. */
const LEAST = 2

type Counts = Pick<ListedActivity, 'ok' | 'failed' | 'ok_by_hour' | 'failed_by_hour'>

/** Chart of the runs of the last 24 hours. Failed runs are at the bottom of each bar. */
export const Sparkline: FC<{ counts: Counts }> = ({
  counts: { ok, failed, ok_by_hour, failed_by_hour },
}) => {
  const most = Math.max(1, ...ok_by_hour.map((count, hour) => count + failed_by_hour[hour]!))
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(LEAST, Math.round((count / most) * (HEIGHT - LEAST)))
  const bars = (counts: readonly number[], below: readonly number[]) =>
    counts
      .map((count, hour) => {
        const height = heightOf(count)
        if (height === 0) return ''
        return `M${hour * STEP} ${HEIGHT - heightOf(below[hour]!)}v-${height}h${BAR}v${height}z`
      })
      .join('')
  const none = failed_by_hour.map(() => 0)
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${ok_by_hour.length * STEP} ${HEIGHT}`}
      role="img"
      aria-label={`Last 24 hours: ${ok} succeeded, ${failed} failed`}
    >
      <path class="ok" d={bars(ok_by_hour, failed_by_hour)} />
      <path class="bad" d={bars(failed_by_hour, none)} />
    </svg>
  )
}
