import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../../ids.ts'
import { NotSent } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import type { Answered, Question, Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'

export type TriggersParts = Pick<Surroundings, 'now' | 'random' | 'sleep'> & {
  requester: Requester
  /** An agent token, already approved or to be approved. */
  token?: string | undefined
  /** Aborts every call of the client. */
  signal?: AbortSignal | undefined
}

/**
 * Sends a request under `/api` with the token.
 * @throws {NotSent} `no_token`
 * @throws {SvcError}
 */
export async function ask<Body>(
  { requester, token }: TriggersParts,
  question: Omit<Question, 'credential' | 'options'>,
  options?: CallOptions,
): Promise<Answered<Body>> {
  if (token !== undefined)
    return requester.edge<Body>({ ...question, credential: { token }, options })
  throw new NotSent(
    'no_token',
    'the client was made without a token, which the trigger service wants',
    'Make one with newAgentToken(), have a person open its authorizeUrl, and give it to createClient as token.',
  )
}

/** @throws {NotSent} `malformed_id` */
export const triggerPath = (id: string) => `/api/triggers/${triggerIdOf(id)}`

/** @throws {NotSent} `malformed_id` */
export const runPath = (id: string) => `/api/runs/${checked('run', id, RUN_ID_CHARACTERS)}`

/** @throws {NotSent} `malformed_id` */
export const triggerIdOf = (id: string) => checked('trigger', id, TRIGGER_ID_CHARACTERS)

/** Validates an ID. Any other text could change the path: an empty ID would name the list instead of a trigger. */
function checked(of: 'trigger' | 'run', id: string, characters: number): string {
  if (id.length === characters && /^[\w-]+$/.test(id)) return id
  const message = `this is no ${of}’s id: one has ${characters} characters of base64url`
  throw new NotSent('malformed_id', message, `Give it as the ${of}’s record has it.`)
}
