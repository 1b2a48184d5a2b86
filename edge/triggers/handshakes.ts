/**
 * Handshakes of senders that use GET or OPTIONS to check that a webhook's URL expects their events. The echo grants
 * nothing: the action verifies that an event comes from the sender.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './echo.ts'

export type Asked = { query: URLSearchParams; headers: Headers }

/** Returns the reply to a GET; `undefined` if it is not a known handshake. */
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
 * Answers Meta, WebSub and Strava. Does not answer `unsubscribe`: anyone can ask a hub to end a subscription, and an
 * echo would confirm it (WebSub, 5.3: a subscriber confirms only what it requested itself).
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

/**
 * Returns true if the client accepts only JSON, as Strava does. Strava's `Accept` header is not documented, so an owner
 * can also set `options.handshake`.
 */
function wantsOnlyJson(headers: Headers): boolean {
  const accepted = headers.get('accept')?.toLowerCase()
  return accepted?.includes('application/json') === true && !/\*\/\*|text\//.test(accepted)
}

function dropbox({ query }: Asked): HandshakeReply | undefined {
  const challenge = echoable(query.get('challenge'))
  return challenge === undefined ? undefined : textReply(challenge)
}

/**
 * Returns the headers that allow a sender to deliver (CloudEvents, HTTP Webhook 4.2; Azure Event Grid), if it requested
 * permission. Any other response to OPTIONS must not be read as a grant.
 */
export function optionsHandshake(headers: Headers): Record<string, string> {
  const origin = echoable(headers.get('webhook-request-origin'))
  if (origin === undefined) return {}
  // Senders need no rate limit in advance: events that the queue rejects are answered with 429.
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }
}
