import { channelName, type FromPayPage } from '../console/credits/payment-channel.ts'

/** Timeout. The console's tab answers at once if it is open. */
const ANSWER_WITHIN_MS = 3_000

type Console = {
  /** The message from the console, not validated; undefined if there is no answer. */
  handover: Promise<unknown>
  tell: (message: FromPayPage) => void
}

/** @param name channel name created by the console's tab; with any other name, there is no answer */
export function askConsole(name: string): Console {
  const channel = new BroadcastChannel(channelName(name))
  const handover = new Promise<unknown>((resolve) => {
    setTimeout(resolve, ANSWER_WITHIN_MS)
    channel.addEventListener('message', ({ data }) => resolve(data), { once: true })
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  const tell = (message: FromPayPage) => channel.postMessage(message)
  tell({ said: 'ready' })
  return { handover, tell }
}
