/** Stores the API key only if the person chose to, and only in `sessionStorage`, which closing the tab clears. */
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
