import {
  ACTION_ID_PATTERN,
  REPLAY_ID_CHARACTERS,
  RUN_ID_CHARACTERS,
  TRIGGER_ID_CHARACTERS,
} from '../../ids.ts'
import { NotSent } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import type { ClientResponse, ClientRequest, Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'

export type TriggersParts = Pick<RuntimeEnvironment, 'now' | 'random' | 'sleep'> & {
  requester: Requester
  /** Agent token, which may not be approved yet. Undefined if the client has no token. */
  token?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * Sends a request with the agent token to a path below `/api`.
 * @throws {NotSent} `no_token`
 * @throws {SvcError} for an error response
 */
export async function sendTriggerRequest<Body>(
  { requester, token }: TriggersParts,
  request: Omit<ClientRequest, 'credential' | 'options'>,
  options?: CallOptions,
): Promise<ClientResponse<Body>> {
  if (token !== undefined)
    return requester.edge<Body>({ ...request, credential: { token }, options })
  throw new NotSent(
    'no_token',
    'the client was created without a token, which the trigger service requires',
    'Create one with newAgentToken(), have a person open its authorizeUrl, and pass it to createClient as token.',
  )
}

export async function triggerBody<Body>(
  parts: TriggersParts,
  request: Omit<ClientRequest, 'credential' | 'options'>,
  options?: CallOptions,
): Promise<Body> {
  return (await sendTriggerRequest<Body>(parts, request, options)).body
}

export const triggerPath = (id: string) => `/api/triggers/${triggerIdOf(id)}`

export const runPath = (id: string) => `/api/runs/${requireId('run', id, RUN_ID_CHARACTERS)}`

export const replayPath = (id: string) =>
  `/api/replays/${requireId('replay', id, REPLAY_ID_CHARACTERS)}`

/** @throws {NotSent} `malformed_id` */
export function actionPath(id: string): string {
  if (ACTION_ID_PATTERN.test(id)) return `/api/actions/${id}`
  const message = 'not an ID of an action: expected actn_ and 22 base64url characters'
  throw new NotSent('malformed_id', message, 'Use the id of the action’s record.')
}

/** @throws {NotSent} `malformed_id` */
export function versionPath(id: string, number: number): string {
  if (Number.isSafeInteger(number) && number > 0) return `${actionPath(id)}/versions/${number}`
  const message = 'not a number of a version: expected a positive integer'
  throw new NotSent('malformed_id', message, 'Use the number of the version’s record.')
}

/** @throws {NotSent} `malformed_id` */
export function alertChannelPath(id: number): string {
  if (Number.isSafeInteger(id) && id > 0) return `/api/alerts/channels/${id}`
  const message = 'not an ID of an alert channel: expected a positive integer'
  throw new NotSent('malformed_id', message, 'Use the id of the channel’s record.')
}

/** @throws {NotSent} `malformed_id` */
export const triggerIdOf = (id: string) => requireId('trigger', id, TRIGGER_ID_CHARACTERS)

/**
 * Validates an ID, because any other text could change the path. For example, an empty ID would name the list instead
 * of a trigger.
 */
function requireId(of: 'trigger' | 'run' | 'replay', id: string, characters: number): string {
  if (id.length === characters && /^[\w-]+$/.test(id)) return id
  const message = `not a ${of} ID: expected ${characters} base64url characters`
  throw new NotSent('malformed_id', message, `Use the id of the ${of}’s record.`)
}
