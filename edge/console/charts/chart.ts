/** What a chart is of: numbers at times, in bars that stand on each other or in lines. */

/** Colours of the pages (`page/style.ts`), which hold in both schemes. */
export type Colour = 'act' | 'good' | 'bad' | 'warn' | 'soft'

export type Series = {
  name: string
  /** One for each time; `null` where there is none. */
  values: (number | null)[]
  colour: Colour
  as: 'bar' | 'line'
}

export type Chart = {
  /** What a screen reader says instead of it. */
  label: string
  /** Unix milliseconds, ascending: where each bucket begins. At least one. */
  times: number[]
  /** Where the last bucket ends. */
  until: number
  series: Series[]
  /** A value with its unit, short. */
  written: (value: number) => string
}

type Column = (number | null)[]

/**
 * The columns that are drawn: times in seconds, then the series, the last one first. Each bar has in its height those of
 * the series before it, so that it shows behind them as what stands on top.
 */
export function chartData({ times, series }: Chart): Column[] {
  const below = times.map(() => 0)
  const columns = series.map(({ values, as }): Column => {
    if (as === 'line') return times.map((_, i) => values[i] ?? null)
    return times.map((_, i) => (below[i]! += values[i] ?? 0))
  })
  return [times.map((time) => time / 1000), ...columns.toReversed()]
}

/** The highest value, and no less than one, so that nothing at all is a line at the bottom. */
export function highestOf(columns: readonly Column[]): number {
  let highest = 1
  for (const column of columns) for (const value of column) highest = Math.max(highest, value ?? 0)
  return highest
}
