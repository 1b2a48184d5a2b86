/** Colours of `edge/pages/layout/page-style.ts` that work in both colour schemes. */
export type ChartColor = 'act' | 'good' | 'bad' | 'warn' | 'soft'

export type Series = {
  name: string
  /** One for each time; `null` if there is no data. */
  values: (number | null)[]
  color: ChartColor
  as: 'bar' | 'line'
}

export type Chart = {
  label: string
  /** Start of each bucket in Unix milliseconds, ascending. At least one. */
  times: number[]
  /** End of the last bucket in Unix milliseconds. */
  until: number
  series: Series[]
  /** Short form with the unit. */
  format: (value: number) => string
}

type Column = (number | null)[]

/**
 * Columns for uPlot: times in seconds, then the series in reverse order. A stacked bar includes the bars of all earlier
 * series, which are drawn over it later.
 */
export function chartData({ times, series }: Chart): Column[] {
  const stackedBelow = times.map(() => 0)
  const columns = series.map(({ values, as }): Column => {
    if (as === 'line') return times.map((_, i) => values[i] ?? null)
    return times.map((_, i) => (stackedBelow[i]! += values[i] ?? 0))
  })
  return [times.map((time) => time / 1000), ...columns.toReversed()]
}

/** At least 1, so that a series of zeros is drawn at the bottom. */
export function maxValue(columns: readonly Column[]): number {
  let highest = 1
  for (const column of columns) for (const value of column) highest = Math.max(highest, value ?? 0)
  return highest
}
