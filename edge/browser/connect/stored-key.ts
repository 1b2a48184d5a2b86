/**
 * Stores the API key in `sessionStorage`, but only if the person chose to do so. The browser clears this storage when
 * the tab is closed.
 */
import { evictCachedPages } from '../back-forward-cache.ts'

const NAME = 'svc/console-key'

export function storeKey(apiKey: string): void {
  evictCachedPages()
  sessionStorage.setItem(NAME, apiKey)
}

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
}
