/** Parses amounts of money, and formats the windows of spending caps. */

/** Converts an amount in dollars to cents. Returns undefined if the text is not an amount. */
export function centsOf(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

/** Windows that the console offers for spending caps, as pairs of a length in seconds and a name. */
export const WINDOWS = [
  [3_600, 'hour'],
  [86_400, 'day'],
  [604_800, 'week'],
] as const

/** Formats the window of a spending cap. Windows that are not in `WINDOWS` can be set only through the API. */
export function windowInWords(seconds: number): string {
  return WINDOWS.find(([known]) => known === seconds)?.[1] ?? `${seconds} seconds`
}

/**
 * Returns the choices for the window of a spending cap. They include the cap's current window, which may have any
 * length if it was set through the API. Otherwise, changing the cap would also change the window.
 */
export function windowChoices(own: number): [value: string, text: string][] {
  const seconds = new Set([...WINDOWS.map(([known]) => known), own])
  return [...seconds].map((each) => [String(each), windowInWords(each)])
}
