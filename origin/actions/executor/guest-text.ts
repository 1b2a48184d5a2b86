/**
 * Prepares JSON text for the engine, which truncates text at NUL and replaces lone surrogates. Lone surrogates become
 * escape sequences. Returns undefined for a text with NUL, which is never valid in JSON.
 */
export function escapeForGuest(json: string): string | undefined {
  if (json.includes('\0')) return undefined
  if (json.isWellFormed()) return json
  return json.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}
