/**
 * Data that the console's first steps pass to the form for a new trigger. It is stored only in this tab, because it
 * contains a usage key.
 */

/** Key in `sessionStorage` under which a `NewTrigger` is stored as JSON. The form removes the item. */
export const NEW_TRIGGER = 'svc/new-trigger'

export type NewTrigger = {
  name: string
  action_code: string
  usage_api_key: string
  default_params: Record<string, unknown>
}
