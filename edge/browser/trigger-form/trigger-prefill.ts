/**
 * Passed from the console's first steps to the trigger form. Stored only in this tab, because it contains a usage key.
 */

/** `sessionStorage` key of a `TriggerPrefill` as JSON. The form removes the item. */
export const TRIGGER_PREFILL_KEY = 'svc/new-trigger'

export type TriggerPrefill = {
  name: string
  action_code: string
  usage_api_key: string
  default_params: Record<string, unknown>
}
