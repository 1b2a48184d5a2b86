/**
 * Data that the console's first steps pass to the form of a new trigger. It stays within the tab, because it contains a
 * usage key.
 */

/** Key in `sessionStorage` of a `NewTrigger` as JSON. The form removes the item. */
export const NEW_TRIGGER = 'svc/new-trigger'

export type NewTrigger = {
  name: string
  action_code: string
  usage_api_key: string
  default_params: Record<string, unknown>
}
