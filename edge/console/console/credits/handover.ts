/**
 * How the page `/pay` hears what is to be paid. The processor's script runs there, so that page gets nothing else: no key,
 * and no window of ours. It is opened without an opener, and asks on a channel that only the console's tab knows by name.
 * Who opens the page by a link of their own hears nothing, and can have nobody pay for them.
 */
import { encodeHex } from '../../../../shared/hex.ts'
import { channelName, type FromPayPage, PAY_PATH, type PaymentHandover } from './payment-channel.ts'

const NAME_BYTES = 16

/**
 * Answers the page for as long as this tab is open.
 * @param onPaid called when the page says that something was paid
 * @returns the page's path with its fragment
 */
export function handOver(handover: PaymentHandover, onPaid: () => void): string {
  const name = encodeHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES)))
  const channel = new BroadcastChannel(channelName(name))
  channel.addEventListener('message', ({ data }: MessageEvent<FromPayPage>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    if (data.said === 'ready') channel.postMessage(handover)
    else if (data.said === 'paid' || data.said === 'on its way') onPaid()
  })
  return `${PAY_PATH}#${name}`
}
