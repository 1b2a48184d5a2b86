/**
 * How the page `/pay` hears what is to be paid. The processor's script runs there, so that page gets nothing else: no key,
 * and no window of ours. It is opened without an opener, and asks on a channel that only the console's tab knows by name.
 * Who opens the page by a link of their own hears nothing, and can have nobody pay for them.
 */

export type PaymentHandover = { clientSecret: string; publishableKey: string; amountCents: number }

export type FromPayPage = { said: 'ready' } | { said: 'paid' } | { said: 'on its way' }

const NAME_BYTES = 16

/** The channel's name stands in the fragment, which no server sees. */
export const PAY_PATH = '/pay'
export const channelName = (fragment: string) => `svc/pay/${fragment}`

/**
 * Answers the page for as long as this tab is open.
 * @param onPaid called when the page says that something was paid: believed by nobody
 * @returns the page's path with its fragment
 */
export function handOver(handover: PaymentHandover, onPaid: () => void): string {
  const name = Array.from(crypto.getRandomValues(new Uint8Array(NAME_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const channel = new BroadcastChannel(channelName(name))
  channel.addEventListener('message', ({ data }: MessageEvent<FromPayPage>) => {
    if (data?.said === 'ready') channel.postMessage(handover)
    else if (data?.said === 'paid' || data?.said === 'on its way') onPaid()
  })
  return `${PAY_PATH}#${name}`
}
