/** Returns the lower of the two middle values of an even number of values. */
export function median(values: readonly bigint[]): bigint {
  return sorted(values)[Math.floor((values.length - 1) / 2)]!
}

/** Returns the difference of the extremes, in hundredths of a percent of the median. */
export function spread(values: readonly bigint[]): number {
  const [lowest, highest] = [sorted(values)[0]!, sorted(values).at(-1)!]
  return Number(((highest - lowest) * 10_000n) / median(values))
}

function sorted(values: readonly bigint[]): bigint[] {
  return values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
}
