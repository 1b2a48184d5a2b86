/** Stores the API key only if the person chose to, and only in `sessionStorage`, which closing the tab clears. */
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
