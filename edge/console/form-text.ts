/** Returns a field of a form as trimmed text. A file or a missing field gives an empty string. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
