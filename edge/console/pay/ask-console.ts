import { channelName, type FromPayPage } from '../console/credits/payment-channel.ts'

/** The tab of the console answers at once, where it is there. */
const ANSWER_WITHIN_MS = 3_000

type Console = {
  /** What came, unjudged; nothing where nobody answers. */
  handover: Promise<unknown>
  tell: (message: FromPayPage) => void
}

/** @param name of the channel, which only the console's tab has made; another one has nobody at its end */
export function askConsole(name: string): Console {
  const channel = new BroadcastChannel(channelName(name))
  const handover = new Promise<unknown>((resolve) => {
    setTimeout(resolve, ANSWER_WITHIN_MS)
    channel.addEventListener('message', ({ data }) => resolve(data), { once: true })
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  const tell = (message: FromPayPage) => channel.postMessage(message)
  tell({ said: 'ready' })
  return { handover, tell }
}
