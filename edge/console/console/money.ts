/** Amounts as people write them, and for how long. */

/** @returns cents; `undefined` for what is no amount of dollars */
export function centsOf(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

/** The windows of a spending cap that the console offers, in seconds. */
export const WINDOWS = [
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [604_800, 'a week'],
] as const

/** Others are set by the API alone. */
export function windowInWords(seconds: number): string {
  return WINDOWS.find(([known]) => known === seconds)?.[1] ?? `${seconds} seconds`
}

/**
 * Those that are offered for a cap, its own among them, which the API may have set to any: a cap that is changed stays for
 * as long as it was.
 */
export function windowChoices(own: number): [value: string, text: string][] {
  const seconds = new Set([...WINDOWS.map(([known]) => known), own])
  return [...seconds].map((each) => [String(each), windowInWords(each).replace(/^an? /, '')])
}
