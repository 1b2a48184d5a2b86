/** Data of a chart: series of numbers over time, drawn either as stacked bars or as lines. */

/** Names of colours in the pages' style sheet (`page/style.ts`), which work in both colour schemes. */
export type Colour = 'act' | 'good' | 'bad' | 'warn' | 'soft'

export type Series = {
  name: string
  /** Values of the series, one for each time; `null` if there is no data for a time. */
  values: (number | null)[]
  colour: Colour
  as: 'bar' | 'line'
}

export type Chart = {
  /** Text alternative of the chart, for screen readers. */
  label: string
  /** Start of each bucket in Unix milliseconds, in ascending order. There is at least one bucket. */
  times: number[]
  /** End of the last bucket in Unix milliseconds. */
  until: number
  series: Series[]
  /** Formats a value with its unit, in a short form. */
  written: (value: number) => string
}

type Column = (number | null)[]

/**
 * Returns the data columns for uPlot: the times in seconds, then the series in reverse order. To stack bars, each bar's
 * height includes the bars of all earlier series. Those are drawn over it later, so that only its own part is visible.
 */
export function chartData({ times, series }: Chart): Column[] {
  const below = times.map(() => 0)
  const columns = series.map(({ values, as }): Column => {
    if (as === 'line') return times.map((_, i) => values[i] ?? null)
    return times.map((_, i) => (below[i]! += values[i] ?? 0))
  })
  return [times.map((time) => time / 1000), ...columns.toReversed()]
}

/** Returns the highest value of a chart, but at least 1, so that a series of zeros is drawn at the bottom. */
export function highestOf(columns: readonly Column[]): number {
  let highest = 1
  for (const column of columns) for (const value of column) highest = Math.max(highest, value ?? 0)
  return highest
}
