/** Windows to choose from, as pairs of a length in seconds and a name. */
const SPEND_WINDOWS = [
  [3_600, 'hour'],
  [86_400, 'day'],
  [604_800, 'week'],
] as const

/** Windows that are not in `SPEND_WINDOWS` can be set only through the API. */
export function describeWindow(seconds: number): string {
  return SPEND_WINDOWS.find(([known]) => known === seconds)?.[1] ?? `${seconds} seconds`
}

/**
 * Returns the windows to choose from, including the current window, which the API may have set to any length. Without
 * it, changing the cap would also change the window.
 */
export function windowChoices(current: number): [value: string, text: string][] {
  const seconds = new Set([...SPEND_WINDOWS.map(([known]) => known), current])
  return [...seconds].map((each) => [String(each), describeWindow(each)])
}
