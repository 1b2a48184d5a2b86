export type Metric = {
  bench: string
  metric: string
  value: number
  unit: string
  /** Baseline measured in the same run, if there is one. */
  baseline?: number
  ratio?: number
}

/** Prints a metric as one line of JSON for programs. */
export function report({ value, baseline, ratio, ...names }: Metric): void {
  const rounded = (number: number | undefined) =>
    number === undefined ? null : Number(number.toPrecision(4))
  const line = {
    ...names,
    value: rounded(value),
    baseline: rounded(baseline),
    ratio: rounded(ratio),
  }
  const { bench, metric, unit } = line
  console.log(
    JSON.stringify({
      bench,
      metric,
      value: line.value,
      unit,
      baseline: line.baseline,
      ratio: line.ratio,
    }),
  )
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Nearest-rank percentile. @param share in (0, 1] */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * share) - 1]!
}
