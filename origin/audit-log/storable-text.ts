/** Postgres stores neither NUL nor lone surrogates in JSON, and canonical JSON has no form for the latter. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
