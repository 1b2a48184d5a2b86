const RFC3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** @returns Unix milliseconds, or undefined if the text is not an RFC 3339 time with an offset */
export function parseRfc3339(text: string): number | undefined {
  const time = isDay(RFC3339.exec(text)?.[1] ?? '') ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** Returns true if the day exists. The check is needed because `Date` parses February 30 as a day in March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
