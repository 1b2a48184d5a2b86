/**
 * Handshakes of senders that ask by GET or OPTIONS whether a webhook's URL expects their events
 * (`decisions.md`, Handshakes). The echo confers nothing: that an event is the sender's own, the action checks.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './echo.ts'

export type Asked = { query: URLSearchParams; headers: Headers }

/** The reply to a GET, or `undefined` where it is no handshake that is known. */
export function getHandshake(
  asked: Asked,
  sender: HandshakeSender | undefined,
): HandshakeReply | undefined {
  return adobeSign(asked) ?? okta(asked) ?? hub(asked, sender) ?? dropbox(asked)
}

function adobeSign({ headers }: Asked): HandshakeReply | undefined {
  const id = echoable(headers.get('x-adobesign-clientid'))
  return id === undefined
    ? undefined
    : jsonReply({ xAdobeSignClientId: id }, { 'x-adobesign-clientid': id })
}

function okta({ headers }: Asked): HandshakeReply | undefined {
  const challenge = echoable(headers.get('x-okta-verification-challenge'))
  return challenge === undefined ? undefined : jsonReply({ verification: challenge })
}

/**
 * Meta, WebSub and Strava. Not for `unsubscribe`: anybody may ask a hub to end a subscription, and an echo would
 * confirm it (WebSub, 5.3: a subscriber answers for what it asked for itself).
 */
function hub(
  { query, headers }: Asked,
  sender: HandshakeSender | undefined,
): HandshakeReply | undefined {
  const mode = query.get('hub.mode')
  const challenge = echoable(query.get('hub.challenge'))
  if (challenge === undefined || (mode !== null && mode !== 'subscribe')) return undefined
  const json = sender === 'strava' || wantsOnlyJson(headers)
  return json ? jsonReply({ 'hub.challenge': challenge }) : textReply(challenge)
}

/** Strava reads JSON alone; nobody documents that it says so, so an owner may say it (`options.handshake`). */
function wantsOnlyJson(headers: Headers): boolean {
  const accepted = headers.get('accept')?.toLowerCase()
  return accepted?.includes('application/json') === true && !/\*\/\*|text\//.test(accepted)
}

function dropbox({ query }: Asked): HandshakeReply | undefined {
  const challenge = echoable(query.get('challenge'))
  return challenge === undefined ? undefined : textReply(challenge)
}

/**
 * The headers that grant a sender its deliveries (CloudEvents, HTTP Webhook 4.2; Azure Event Grid), where it
 * asked for that: any other answer to OPTIONS must not be read as a grant.
 */
export function optionsHandshake(headers: Headers): Record<string, string> {
  const origin = echoable(headers.get('webhook-request-origin'))
  if (origin === undefined) return {}
  // What the queue does not take is answered 429: senders need no rate in advance.
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }
}
