import { NEW_TRIGGER } from '../new-trigger.ts'

/**
 * Fills the form with what the console's first steps left in this tab, and takes it away. The usage key goes into its field and
 * nowhere else. What is not as it should be is left out: it is a form, and the person sees it. It is for a new trigger: one
 * that is there keeps its key, whose field is empty.
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
