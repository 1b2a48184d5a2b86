import { type Metric, METRICS, type MetricName } from './definitions.ts'
import { seriesName } from './series.ts'

export type Sample = readonly [series: string, value: number]

/** Samples of unknown metrics are omitted. */
export function exposition(samples: Iterable<Sample>): string {
  const lines = new Map<MetricName, string[]>(
    Object.keys(METRICS).map((name) => [name as MetricName, []]),
  )
  for (const [series, value] of samples)
    lines.get(metricOf(seriesName(series)))?.push(`${series} ${textOf(value)}`)
  return [...lines]
    .map(([name, seriesLines]) => section(name, METRICS[name], seriesLines))
    .join('\n')
}

/** A histogram has separate series for its buckets, sum and count. */
function metricOf(name: string): MetricName {
  const whole = name.replace(/_(bucket|sum|count)$/, '') as MetricName
  const metric: Metric | undefined = METRICS[whole]
  return metric?.type === 'histogram' ? whole : (name as MetricName)
}

function section(name: MetricName, { type, help }: Metric, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function textOf(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return String(value)
}
