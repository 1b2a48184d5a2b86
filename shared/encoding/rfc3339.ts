/** In UTC, without milliseconds. */
export function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}
