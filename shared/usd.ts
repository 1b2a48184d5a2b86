const usdFormat = (useGrouping: boolean) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', useGrouping })

const FORMATS = { grouped: usdFormat(true), plain: usdFormat(false) }

/** @param style `grouped` for people, such as `$1,234.50`, or `plain` for texts of the API, such as `$1234.50` */
export function formatUsd(cents: number, style: keyof typeof FORMATS = 'grouped'): string {
  return FORMATS[style].format(cents / 100)
}
