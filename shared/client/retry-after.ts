/**
 * `Retry-After` in seconds: as such, or as a date (RFC 9110, 10.2.3); `undefined` where it says nothing.
 * @param now Unix milliseconds
 */
export function retryAfterOf(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  // Only what begins like a date: Date.parse takes "-5" for one.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
