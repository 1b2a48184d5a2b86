/** Colours from `edge/pages/layout/page-style.ts` that are suitable for both colour schemes. */
export type ChartColor = 'act' | 'good' | 'bad' | 'warn' | 'soft'

export type Series = {
  name: string
  /** One value per time; `null` if there is no data. */
  values: (number | null)[]
  color: ChartColor
  as: 'bar' | 'line'
}

export type Chart = {
  label: string
  /** Start time of each bucket in Unix milliseconds, in ascending order. Contains at least one time. */
  times: number[]
  /** End time of the last bucket in Unix milliseconds. */
  until: number
  series: Series[]
  format: (value: number) => string
}

type Column = (number | null)[]

/**
 * Returns the columns for uPlot: the times in seconds, followed by the series in reverse order. Each stacked bar
 * includes the bars of all earlier series, which are drawn later and cover it.
 */
export function chartData({ times, series }: Chart): Column[] {
  const stackedBelow = times.map(() => 0)
  const columns = series.map(({ values, as }): Column => {
    if (as === 'line') return times.map((_, i) => values[i] ?? null)
    return times.map((_, i) => (stackedBelow[i]! += values[i] ?? 0))
  })
  return [times.map((time) => time / 1000), ...columns.toReversed()]
}

/** Returns the maximum value, but at least 1, so that a series of zeros is drawn at the bottom. */
export function maxValue(columns: readonly Column[]): number {
  let highest = 1
  for (const column of columns) for (const value of column) highest = Math.max(highest, value ?? 0)
  return highest
}
