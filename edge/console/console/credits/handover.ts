/**
 * Passes the payment to the `/pay` page. That page runs the payment processor's script, so it receives nothing else: no
 * key and no reference to our window. It is opened with `noopener`, and requests the payment on a BroadcastChannel with
 * a random name that only the console's tab knows. A person who follows another user's link to the page receives
 * nothing, and so cannot be made to pay for that user.
 */
import { encodeHex } from '../../../../shared/hex.ts'
import { channelName, type FromPayPage, PAY_PATH, type PaymentHandover } from './payment-channel.ts'

const NAME_BYTES = 16

/**
 * Answers the payment page for as long as this tab is open.
 * @param onPaid called when the page reports a payment
 * @returns the path of the page, including its fragment
 */
export function handOver(handover: PaymentHandover, onPaid: () => void): string {
  const name = encodeHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES)))
  const channel = new BroadcastChannel(channelName(name))
  channel.addEventListener('message', ({ data }: MessageEvent<FromPayPage>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
    if (data.said === 'ready') channel.postMessage(handover)
    else if (data.said === 'paid' || data.said === 'on its way') onPaid()
  })
  return `${PAY_PATH}#${name}`
}
