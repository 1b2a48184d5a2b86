/** The key that the person has ticked to keep: with this tab, and until it is closed. Nowhere else is a key kept. */
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
