/**
 * Parses seconds or a date (RFC 9110, section 10.2.3). Returns seconds, or undefined if the header is invalid.
 * @param now Unix milliseconds
 */
export function retryAfterOf(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  // Requires a weekday name, because `Date.parse` accepts texts such as "-5".
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
