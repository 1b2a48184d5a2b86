/**
 * Some senders use GET or OPTIONS to check that a webhook URL expects their events. Echoing a challenge is safe,
 * because the action still verifies that each event comes from the sender.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './handshake-reply.ts'

type HandshakeRequest = { query: URLSearchParams; headers: Headers }

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
 * Answers the handshakes of Meta, WebSub and Strava. Ignores `unsubscribe`: anyone can ask a hub to cancel a
 * subscription, and an echo would confirm that request. A subscriber must confirm only its own requests (WebSub,
 * section 5.3).
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

/**
 * Detects Strava by its `Accept` header. Strava does not document this header, so an owner can set `options.handshake`
 * instead.
 */
function wantsOnlyJson(headers: Headers): boolean {
  const accepted = headers.get('accept')?.toLowerCase()
  return accepted?.includes('application/json') === true && !/\*\/\*|text\//.test(accepted)
}

function dropbox({ query }: HandshakeRequest): HandshakeReply | undefined {
  const challenge = echoable(query.get('challenge'))
  return challenge === undefined ? undefined : textReply(challenge)
}

/**
 * Returns headers that allow a sender to deliver events (CloudEvents, HTTP Webhook 4.2; Azure Event Grid). Returns no
 * headers if the sender has not requested permission, so that the response to OPTIONS does not grant it.
 */
export function optionsHandshake(headers: Headers): Record<string, string> {
  const origin = echoable(headers.get('webhook-request-origin'))
  if (origin === undefined) return {}
  // The announced rate is unlimited, because events that the queue rejects are answered with 429.
  return { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }
}
