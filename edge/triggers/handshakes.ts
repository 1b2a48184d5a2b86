/**
 * Some senders use GET or OPTIONS to check that a webhook URL expects their events. The echo does not grant anything,
 * because the action verifies that an event comes from the sender.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './handshake-reply.ts'

type HandshakeRequest = { query: URLSearchParams; headers: Headers }

/** `undefined` if the request is not a known handshake. */
export function getHandshake(
  request: HandshakeRequest,
  sender: HandshakeSender | undefined,
): HandshakeReply | undefined {
  return adobeSign(request) ?? okta(request) ?? hub(request, sender) ?? dropbox(request)
}

function adobeSign({ headers }: HandshakeRequest): HandshakeReply | undefined {
  const id = echoable(headers.get('x-adobesign-clientid'))
  return id === undefined
    ? undefined
    : jsonReply({ xAdobeSignClientId: id }, { 'x-adobesign-clientid': id })
}

function okta({ headers }: HandshakeRequest): HandshakeReply | undefined {
  const challenge = echoable(headers.get('x-okta-verification-challenge'))
  return challenge === undefined ? undefined : jsonReply({ verification: challenge })
}

/**
 * Meta, WebSub and Strava. Does not answer `unsubscribe`, because anyone can ask a hub to end a subscription, and an
 * echo would confirm it. A subscriber must confirm only what it has requested itself (WebSub, 5.3).
 */
function hub(
  { query, headers }: HandshakeRequest,
  sender: HandshakeSender | undefined,
): HandshakeReply | undefined {
  const mode = query.get('hub.mode')
  const challenge = echoable(query.get('hub.challenge'))
  if (challenge === undefined || (mode !== null && mode !== 'subscribe')) return undefined
  const json = sender === 'strava' || wantsOnlyJson(headers)
  return json ? jsonReply({ 'hub.challenge': challenge }) : textReply(challenge)
}

/** Detects Strava, whose `Accept` header is not documented, so an owner can set `options.handshake` instead. */
function wantsOnlyJson(headers: Headers): boolean {
  const accepted = headers.get('accept')?.toLowerCase()
  return accepted?.includes('application/json') === true && !/\*\/\*|text\//.test(accepted)
}

function dropbox({ query }: HandshakeRequest): HandshakeReply | undefined {
  const challenge = echoable(query.get('challenge'))
  return challenge === undefined ? undefined : textReply(challenge)
}

/**
 * Headers that allow a sender to deliver events (CloudEvents, HTTP Webhook 4.2; Azure Event Grid). Empty if the sender
 * has not requested permission, so that the response to OPTIONS is not read as a permission.
 */
export function optionsHandshake(headers: Headers): Record<string, string> {
  const origin = echoable(headers.get('webhook-request-origin'))
  if (origin === undefined) return {}
  // No specific rate limit is announced, because events that the queue rejects are answered with 429.
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }
}
