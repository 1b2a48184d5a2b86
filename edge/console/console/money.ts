/** Parses amounts, and formats the windows of spending caps. */

/** @returns cents, or undefined if the text is not an amount in dollars */
export function centsOf(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

/** Spending cap windows that the console offers, in seconds. */
export const WINDOWS = [
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [604_800, 'a week'],
] as const

/** Formats a window. Windows other than those in `WINDOWS` can be set only through the API. */
export function windowInWords(seconds: number): string {
  return WINDOWS.find(([known]) => known === seconds)?.[1] ?? `${seconds} seconds`
}

/**
 * Returns the choices for the window of a cap, including its current window, which may have been set to any length
 * through the API. Without it, changing the cap would also change the window.
 */
export function windowChoices(own: number): [value: string, text: string][] {
  const seconds = new Set([...WINDOWS.map(([known]) => known), own])
  return [...seconds].map((each) => [String(each), windowInWords(each).replace(/^an? /, '')])
}
