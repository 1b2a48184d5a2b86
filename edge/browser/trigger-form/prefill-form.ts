import { tryParseJson } from '../../../shared/json/try-parse-json.ts'

/** `sessionStorage` key under which a `TriggerPrefill` is stored as JSON. The form removes the item. */
export const TRIGGER_PREFILL_KEY = 'svc/new-trigger'

/**
 * Data that the console's first steps pass to the trigger form. The data is stored only in this tab, because it
 * contains a usage key.
 */
export type TriggerPrefill = {
  name: string
  action_code: string
  usage_api_key: string
  default_params: Record<string, unknown>
}

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
  const given = (tryParseJson(text) ?? {}) as Record<keyof TriggerPrefill, unknown>
  const fill = (name: string, value: unknown) => {
    const field = form.elements.namedItem(name)
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
    if (isField && typeof value === 'string' && field.value === '') field.value = value
  }
  fill('name', given.name)
  fill('action_code', given.action_code)
  fill('usage_api_key', given.usage_api_key)
  const params = given.default_params
  if (typeof params === 'object' && params !== null)
    fill('default_params', JSON.stringify(params, null, 2))
}
