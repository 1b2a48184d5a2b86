/**
 * Parses `Retry-After`, given in seconds or as a date (RFC 9110, section 10.2.3). Returns seconds; undefined if
 * invalid.
 * @param now Unix milliseconds
 */
export function retryAfterOf(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  // Requires the start of a date, because Date.parse accepts "-5".
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
