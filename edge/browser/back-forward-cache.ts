/**
 * Evicts pages from the back/forward cache. Otherwise, the browser could restore `/pay` in a tab in which the console
 * has stored a key, and the payment processor's script could read the key. Firefox and Safari do not cache pages with
 * `no-store`. Chromium does, but evicts a cached page when a BroadcastChannel message for it arrives.
 */
const CHANNEL = 'svc/left-behind'

/** Makes this page evictable. Call it before a third-party script is loaded, which could access the channel. */
export function allowCacheEviction(): void {
  // The listener prevents the channel from being garbage-collected.
  new BroadcastChannel(CHANNEL).addEventListener('message', () => {})
}

/** Must be called before a key is stored in this tab. */
export function evictCachedPages(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  channel.postMessage('')
  channel.close()
}
