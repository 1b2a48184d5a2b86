/**
 * Passes a payment to the `/pay` page. That page runs the payment processor's script, so the page receives only the
 * payment: no API key, and no reference to our window (`noopener`). The page requests the payment on a
 * BroadcastChannel, whose random name is in the page's URL. The channel does not reach other browsers, so a person who
 * opens another user's link cannot be made to pay for that user.
 */
import { encodeHex } from '../../../../shared/encoding/hex.ts'
import { channelName, type FromPayPage, PAY_PATH, type PaymentHandover } from './payment-channel.ts'

const NAME_BYTES = 16

/**
 * Offers a payment to the payment page until this tab is closed.
 * @returns path of the payment page, including the fragment
 */
export function offerPayment(handover: PaymentHandover, onPaid: () => void): string {
  const name = encodeHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES)))
  const channel = new BroadcastChannel(channelName(name))
  channel.addEventListener('message', ({ data }: MessageEvent<FromPayPage>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
    if (data.said === 'ready') channel.postMessage(handover)
    else if (data.said === 'paid' || data.said === 'on its way') onPaid()
  })
  return `${PAY_PATH}#${name}`
}
