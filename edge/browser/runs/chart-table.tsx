import type { FC } from 'hono/jsx'
import type { RunChart } from '../../queue/trigger-snapshot.ts'
import { formatChartTime } from '../charts/chart-times.ts'
import { formatDuration } from '../format/values.ts'

const durationOrDash = (ms: number | null) => (ms === null ? '–' : formatDuration(ms))

/** For people who cannot see the chart. Omits buckets without runs. */
export const ChartTable: FC<{ chart: RunChart }> = ({ chart }) => {
  const rows = chart.buckets.filter(({ ok, failed }) => ok + failed > 0)
  if (rows.length === 0) return <p class="note">No runs ended in this time range.</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">From (UTC)</th>
          <th scope="col">Succeeded</th>
          <th scope="col">Failed</th>
          <th scope="col">Median</th>
          <th scope="col">95th percentile</th>
        </tr>
      </thead>
      <tbody>
        {rows.toReversed().map(({ at, ok, failed, p50Ms, p95Ms }) => (
          <tr>
            <td>{formatChartTime(at)}</td>
            <td>{ok}</td>
            <td>{failed}</td>
            <td>{durationOrDash(p50Ms)}</td>
            <td>{durationOrDash(p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
