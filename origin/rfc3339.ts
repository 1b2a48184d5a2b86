/** Formats a time as RFC 3339 in UTC, without milliseconds. */
export function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Formats Unix seconds. */
export function rfc3339Seconds(seconds: number | bigint): string {
  return rfc3339(new Date(Number(seconds) * 1000))
}
