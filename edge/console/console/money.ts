/** Amounts as people write and read them. */

/** @returns cents; `undefined` for what is no amount of dollars */
export function centsOf(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

export const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`

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
