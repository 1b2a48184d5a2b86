/** What the console's first steps hand to the form of a new trigger: within the tab, since the key is nobody else's. */

/** In `sessionStorage`, as JSON of `NewTrigger`; the form takes it out. */
export const NEW_TRIGGER = 'svc/new-trigger'

export type NewTrigger = {
  name: string
  action_code: string
  usage_api_key: string
  default_params: Record<string, unknown>
}
