/**
 * Stores the key that the person chose to keep, in `sessionStorage` only, so until this tab is closed. Keys are stored
 * nowhere else.
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
