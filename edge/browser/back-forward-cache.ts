/**
 * Evicts pages from the back/forward cache. Otherwise, the browser could restore `/pay` in a tab in which the console
 * has stored a key, and the payment processor's script could read the key. Firefox and Safari do not cache pages with
 * `no-store`. Chromium caches them, but evicts a cached page that receives a BroadcastChannel message.
 */
const CHANNEL = 'svc/left-behind'

/**
 * Lets other tabs evict this page from the cache. Call this function before a third-party script is loaded, because the
 * script could interfere with the channel.
 */
export function allowCacheEviction(): void {
  // The listener prevents the channel from being garbage-collected.
  new BroadcastChannel(CHANNEL).addEventListener('message', () => {})
}

/** Evicts cached pages that called `allowCacheEviction`. Call this function before a key is stored in this tab. */
export function evictCachedPages(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  channel.postMessage('')
  channel.close()
}
