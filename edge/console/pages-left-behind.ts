/**
 * A browser may restore a page from its back/forward cache, with its scripts. If a tab was on `/pay` and has stored a
 * console key since, the payment processor's script on the restored page could read the key. Firefox and Safari do not
 * cache pages with `no-store`. Chromium does, but evicts a cached page when a BroadcastChannel message arrives for it.
 */
const CHANNEL = 'svc/left-behind'

/** Makes this page evictable. Must run before a third-party script loads, so that the script cannot get the channel. */
export function mayBeGivenUp(): void {
  // The listener keeps the channel alive for as long as the page.
  new BroadcastChannel(CHANNEL).addEventListener('message', () => {})
}

/** Evicts cached pages. Must run before anything is stored in this tab. */
export function givePagesUp(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  channel.postMessage('')
  channel.close()
}
