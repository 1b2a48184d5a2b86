/** Formats a time as RFC 3339 in UTC, without milliseconds. */
export function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}
