/** Data of a chart: series of numbers over time, drawn as stacked bars or as lines. */

/** Colours of the page's style sheet (`page/style.ts`), which work in both colour schemes. */
export type Colour = 'act' | 'good' | 'bad' | 'warn' | 'soft'

export type Series = {
  name: string
  /** One value per time; `null` if there is no data. */
  values: (number | null)[]
  colour: Colour
  as: 'bar' | 'line'
}

export type Chart = {
  /** Text alternative for screen readers. */
  label: string
  /** Start of each bucket in Unix milliseconds, ascending. At least one. */
  times: number[]
  /** End of the last bucket in Unix milliseconds. */
  until: number
  series: Series[]
  /** Formats a value briefly, with its unit. */
  written: (value: number) => string
}

type Column = (number | null)[]

/**
 * Returns the columns for uPlot: times in seconds, then the series in reverse order. Each bar's height includes the
 * bars of earlier series, which are drawn over it later, so that only its own part remains visible.
 */
export function chartData({ times, series }: Chart): Column[] {
  const below = times.map(() => 0)
  const columns = series.map(({ values, as }): Column => {
    if (as === 'line') return times.map((_, i) => values[i] ?? null)
    return times.map((_, i) => (below[i]! += values[i] ?? 0))
  })
  return [times.map((time) => time / 1000), ...columns.toReversed()]
}

/** Returns the highest value, but at least 1, so that a series of zeros is a line at the bottom. */
export function highestOf(columns: readonly Column[]): number {
  let highest = 1
  for (const column of columns) for (const value of column) highest = Math.max(highest, value ?? 0)
  return highest
}
