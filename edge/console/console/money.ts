/** Undefined if the text is not an amount. */
export function centsOf(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

/** Pairs of a length in seconds and a name. */
export const WINDOWS = [
  [3_600, 'hour'],
  [86_400, 'day'],
  [604_800, 'week'],
] as const

/** Windows that are not in `WINDOWS` can be set only through the API. */
export function windowInWords(seconds: number): string {
  return WINDOWS.find(([known]) => known === seconds)?.[1] ?? `${seconds} seconds`
}

/**
 * Includes the current window, which the API may have set to any length. Otherwise, changing the cap would also change
 * the window.
 */
export function windowChoices(own: number): [value: string, text: string][] {
  const seconds = new Set([...WINDOWS.map(([known]) => known), own])
  return [...seconds].map((each) => [String(each), windowInWords(each)])
}
