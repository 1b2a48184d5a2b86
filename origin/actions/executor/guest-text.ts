/**
 * JSON text in a form that survives the way into the engine, which ends at NUL and replaces a lone
 * surrogate: the surrogate becomes its escape. A NUL is never JSON, so there is no form for it.
 */
export function guestText(json: string): string | undefined {
  if (json.includes('\0')) return undefined
  if (json.isWellFormed()) return json
  return json.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}
