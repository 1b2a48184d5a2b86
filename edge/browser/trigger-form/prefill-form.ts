import { TRIGGER_PREFILL_KEY } from './trigger-prefill.ts'

/**
 * Fills in the data that the console's first steps stored in this tab, and removes the data. The usage key is written
 * only to its form field. Invalid values are skipped, because the person can check the form. Does nothing for an
 * existing trigger, which must keep its usage key.
 */
export function prefillForm(form: HTMLFormElement): void {
  if (form.elements.namedItem('seen') !== null) return
  const text = sessionStorage.getItem(TRIGGER_PREFILL_KEY)
  if (text === null) return
  sessionStorage.removeItem(TRIGGER_PREFILL_KEY)
  const given = parseObject(text)
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

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
