import { type ChainEventParams, defineAction } from '@svc-run/cli/action'

type Params = ChainEventParams<
  [from: string, to: string, value: string],
  { wallet: string; channel: 'discord' | 'telegram'; secret: string }
>

/** Sends a message to Discord or Telegram about each transfer. */
export default defineAction(async ({ event, wallet, channel, secret }: Params) => {
  if (event.decode === 'raw') throw new Error(`cannot decode the log: ${event.decode_error}`)
  const { arg0: from, arg1: to, arg2: value } = event.decoded
  const text = `${ethers.utils.formatUnits(value, 6)} USDC from ${from} to ${to}\nhttps://basescan.org/tx/${event.transaction_hash}`
  const credential = await Svc.Actions.decrypt({ pkpId: wallet, ciphertext: secret })
  const { url, body } =
    channel === 'telegram' ? telegram(credential, text) : discord(credential, text)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // The URL contains the credential, so it must not be part of an error.
  if (!response.ok) throw new Error(`${channel} responded with ${response.status}`)
  return { text }
})

/** @param webhook URL of a webhook of a channel */
function discord(webhook: string, content: string) {
  if (!webhook.startsWith('https://discord.com/api/webhooks/'))
    throw new Error('the secret is not the URL of a webhook of Discord')
  return { url: webhook, body: { content, allowed_mentions: { parse: [] } } }
}

/** @param credential token of a bot and ID of a chat, with a space in between */
function telegram(credential: string, text: string) {
  const [token, chat_id] = credential.split(' ')
  if (!token || !chat_id) throw new Error('the secret is not "<token of the bot> <ID of the chat>"')
  return { url: `https://api.telegram.org/bot${token}/sendMessage`, body: { chat_id, text } }
}
