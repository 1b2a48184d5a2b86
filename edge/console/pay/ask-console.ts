import { channelName, type FromPayPage } from '../console/credits/payment-channel.ts'

/** An open console answers immediately. */
const ANSWER_WITHIN_MS = 3_000

type Console = {
  /** Not validated yet; undefined if the console does not answer. */
  handover: Promise<unknown>
  tell: (message: FromPayPage) => void
}

/** @param name channel name that the console's tab has created; any other name gets no answer */
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
