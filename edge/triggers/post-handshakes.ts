/**
 * Handshakes of senders that ask by POST. They look like events, so each is answered only where the owner named
 * the sender (`options.handshake`); it makes no run. Anything else that this sender posts is an event.
 */
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import { echoable, type HandshakeReply, jsonReply, textReply } from './echo.ts'

export type Posted = {
  /** Those that the action would get, names in lower case. */
  headers: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | string[]>>
  body: Uint8Array
}

/** Longer than any challenge: an event of megabytes is not parsed to see that it is none. */
const BODY_MAX_BYTES = 16 * 1024

/** The reply to a POST, or `undefined` where it is an event. */
export function postHandshake(sender: HandshakeSender, posted: Posted): HandshakeReply | undefined {
  return REPLIES[sender](posted)
}

const REPLIES: Record<HandshakeSender, (posted: Posted) => HandshakeReply | undefined> = {
  slack: ({ body }) => {
    const { type, challenge } = objectIn(body)
    return type === 'url_verification' ? text(challenge) : undefined
  },
  twitch: ({ headers, body }) =>
    headers['twitch-eventsub-message-type'] === 'webhook_callback_verification'
      ? text(objectIn(body).challenge)
      : undefined,
  monday: ({ body }) => {
    const { challenge, event } = objectIn(body)
    return event === undefined ? json(challenge, (known) => ({ challenge: known })) : undefined
  },
  microsoft_graph: ({ query }) => text(query.validationToken),
  smartsheet: ({ headers }) =>
    json(
      headers['smartsheet-hook-challenge'],
      (known) => ({ smartsheetHookResponse: known }),
      'smartsheet-hook-response',
    ),
  ringcentral: ({ headers }) => emptyWith('validation-token', headers['validation-token']),
  // Events are signed with the secret and come without it; Asana tells it to who made the webhook as well.
  asana: ({ headers }) =>
    headers['x-hook-signature'] === undefined
      ? emptyWith('x-hook-secret', headers['x-hook-secret'])
      : undefined,
  event_grid: ({ headers, body }) =>
    headers['aeg-event-type'] === 'SubscriptionValidation'
      ? json(validationCode(body), (known) => ({ validationResponse: known }))
      : undefined,
  // By GET alone (`handshakes.ts`).
  strava: () => undefined,
}

function text(challenge: unknown): HandshakeReply | undefined {
  const known = echoable(challenge)
  return known === undefined ? undefined : textReply(known)
}

function json(
  challenge: unknown,
  value: (known: string) => object,
  header?: string,
): HandshakeReply | undefined {
  const known = echoable(challenge)
  if (known === undefined) return undefined
  return jsonReply(value(known), header === undefined ? {} : { [header]: known })
}

function emptyWith(header: string, challenge: unknown): HandshakeReply | undefined {
  const known = echoable(challenge)
  return known === undefined ? undefined : textReply('', { [header]: known })
}

function validationCode(body: Uint8Array): unknown {
  const [event] = Object.values(objectIn(body)) as { data?: { validationCode?: unknown } }[]
  return event?.data?.validationCode
}

/** The body's JSON object or array; one without members where it is anything else. */
function objectIn(body: Uint8Array): Record<string, unknown> {
  if (body.length > BODY_MAX_BYTES) return {}
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
