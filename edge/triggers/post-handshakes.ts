/**
 * Handshakes that senders perform with POST. Handshake requests look like events, so they are answered only if the
 * owner names the sender in `options.handshake`. A handshake does not create a run. Every other POST is an event.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './handshake-reply.ts'

type HandshakePost = {
  /** Headers that would be passed to the action, by lower-case name. */
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | string[]>>
  body: Uint8Array
}

/** Maximum size of a parsed body. No challenge is this large, and larger events are not parsed. */
const BODY_MAX_BYTES = 16 * 1024

/** Returns the reply to a handshake, or `undefined` if the POST is an event. */
export function postHandshake(
  sender: HandshakeSender,
  post: HandshakePost,
): HandshakeReply | undefined {
  return REPLIES[sender](post)
}

const REPLIES: Record<HandshakeSender, (posted: HandshakePost) => HandshakeReply | undefined> = {
  slack: ({ body }) => {
    const { type, challenge } = objectIn(body)
    return type === 'url_verification' ? echoText(challenge) : undefined
  },
  twitch: ({ headers, body }) =>
    headers['twitch-eventsub-message-type'] === 'webhook_callback_verification'
      ? echoText(objectIn(body).challenge)
      : undefined,
  monday: ({ body }) => {
    const { challenge, event } = objectIn(body)
    return event === undefined ? echoJson(challenge, (known) => ({ challenge: known })) : undefined
  },
  microsoft_graph: ({ query }) => echoText(query.validationToken),
  smartsheet: ({ headers }) =>
    echoJson(
      headers['smartsheet-hook-challenge'],
      (known) => ({ smartsheetHookResponse: known }),
      'smartsheet-hook-response',
    ),
  ringcentral: ({ headers }) => echoHeader('validation-token', headers['validation-token']),
  // Asana signs its events with the secret, but does not include the secret in them. The client that created the
  // webhook also receives the secret from Asana.
  asana: ({ headers }) =>
    headers['x-hook-signature'] === undefined
      ? echoHeader('x-hook-secret', headers['x-hook-secret'])
      : undefined,
  event_grid: ({ headers, body }) =>
    headers['aeg-event-type'] === 'SubscriptionValidation'
      ? echoJson(validationCode(body), (known) => ({ validationResponse: known }))
      : undefined,
  // Strava's handshake uses GET only (see `handshakes.ts`).
  strava: () => undefined,
}

function echoText(challenge: unknown): HandshakeReply | undefined {
  const known = echoable(challenge)
  return known === undefined ? undefined : textReply(known)
}

function echoJson(
  challenge: unknown,
  value: (known: string) => object,
  header?: string,
): HandshakeReply | undefined {
  const known = echoable(challenge)
  if (known === undefined) return undefined
  return jsonReply(value(known), header === undefined ? {} : { [header]: known })
}

function echoHeader(header: string, challenge: unknown): HandshakeReply | undefined {
  const known = echoable(challenge)
  return known === undefined ? undefined : textReply('', { [header]: known })
}

function validationCode(body: Uint8Array): unknown {
  const [event] = Object.values(objectIn(body)) as { data?: { validationCode?: unknown } }[]
  return event?.data?.validationCode
}

/** Returns an empty object for a body that is not a JSON object or array. */
export function objectIn(body: Uint8Array): Record<string, unknown> {
  if (body.length > BODY_MAX_BYTES) return {}
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
