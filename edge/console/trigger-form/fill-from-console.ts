import { NEW_TRIGGER } from '../new-trigger.ts'

/**
 * Fills the form with the data that the console's first steps left in this tab, and removes the data. The usage key
 * goes into its field and nowhere else. Invalid values are skipped, because the person sees the form. Does nothing for
 * an existing trigger, which keeps its key while the key field is empty.
 */
export function fillFromConsole(form: HTMLFormElement): void {
  if (form.elements.namedItem('seen') !== null) return
  const text = sessionStorage.getItem(NEW_TRIGGER)
  if (text === null) return
  sessionStorage.removeItem(NEW_TRIGGER)
  const given = parsed(text)
  const fill = (name: string, value: unknown) => {
    const field = form.elements.namedItem(name)
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
    if (isField && typeof value === 'string' && field.value === '') field.value = value
  }
  fill('name', given['name'])
  fill('action_code', given['action_code'])
  fill('usage_api_key', given['usage_api_key'])
  const params = given['default_params']
  if (typeof params === 'object' && params !== null)
    fill('default_params', JSON.stringify(params, null, 2))
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
