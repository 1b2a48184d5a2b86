/**
 * Stores the API key if the person has chosen to keep it. The key is stored only in `sessionStorage`, which the browser
 * clears when the tab is closed.
 */
import { givePagesUp } from '../pages-left-behind.ts'

const NAME = 'svc/console-key'

export function keepKey(apiKey: string): void {
  givePagesUp()
  sessionStorage.setItem(NAME, apiKey)
}

export function keptKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
}
