/**
 * A browser may show a page that one comes back to as it was left, its scripts included. A tab that was on `/pay`, and keeps
 * a key of the console since, would be one in which the processor's script finds it. Firefox and Safari do not keep pages that
 * say `no-store`; Chromium does, and gives one up when a message comes to it that nobody there can hear.
 */
const CHANNEL = 'svc/left-behind'

/** Before a script of somebody else is there, so that it gets no hold of the channel. */
export function mayBeGivenUp(): void {
  // With a listener it stays for as long as the page.
  new BroadcastChannel(CHANNEL).addEventListener('message', () => {})
}

/** Before anything is kept in this tab. */
export function givePagesUp(): void {
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  channel.postMessage('')
  channel.close()
}
