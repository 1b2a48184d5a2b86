import type { FC } from 'hono/jsx'
import type { RunChart } from '../../queue/trigger-snapshot.ts'
import { formatChartTime, formatDurationOr } from '../format/times.ts'

export const ChartTable: FC<{ chart: RunChart }> = ({ chart }) => {
  const rows = chart.buckets.filter(({ ok, failed }) => ok + failed > 0)
  if (rows.length === 0) return <p class="note">No runs ended in this time range.</p>
  return (
    <table>
      <thead>
        <tr>
          {['From (UTC)', 'Succeeded', 'Failed', 'Median', '95th percentile'].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.toReversed().map(({ at, ok, failed, p50Ms, p95Ms }) => (
          <tr>
            <td>{formatChartTime(at)}</td>
            <td>{ok}</td>
            <td>{failed}</td>
            <td>{formatDurationOr('–', p50Ms)}</td>
            <td>{formatDurationOr('–', p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
