import { channelName, type FromPayPage } from '../console/credits/payment-channel.ts'

/** Timeout for the console's answer. An open console answers immediately. */
const ANSWER_WITHIN_MS = 3_000

type ConsoleChannel = {
  /** Payment from the console, which is not validated yet; undefined if the console does not answer. */
  handover: Promise<unknown>
  send: (message: FromPayPage) => void
}

/** @param name channel name that the console's tab has created; no tab answers on any other channel */
export function connectToConsole(name: string): ConsoleChannel {
  const channel = new BroadcastChannel(channelName(name))
  const handover = new Promise<unknown>((resolve) => {
    setTimeout(resolve, ANSWER_WITHIN_MS)
    channel.addEventListener('message', ({ data }) => resolve(data), { once: true })
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
  const post = (message: FromPayPage) => channel.postMessage(message)
  post({ said: 'ready' })
  return { handover, send: post }
}
