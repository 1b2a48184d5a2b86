/**
 * Name of the channel that evicts pages from the back/forward cache. Without eviction, the console could store a key in
 * a tab that was on `/pay` before. If the browser then restored `/pay` from its back/forward cache, the payment
 * processor's script on that page could read the key. Firefox and Safari do not cache pages with `no-store`. Chromium
 * does, but evicts a cached page when a BroadcastChannel message for it arrives.
 */
const CHANNEL = 'svc/left-behind'

/**
 * Makes this page evictable from the back/forward cache. Must be called before a third-party script is loaded, so that
 * the script cannot access the channel.
 */
export function mayBeGivenUp(): void {
  // The listener prevents the channel from being garbage-collected.
  new BroadcastChannel(CHANNEL).addEventListener('message', () => {})
}

/** Evicts pages from the back/forward cache. Must be called before a key is stored in this tab. */
export function givePagesUp(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  channel.postMessage('')
  channel.close()
}
