/** How the parts of this folder ask the trigger service. */
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../../ids.ts'
import { NotSent } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import type { Answered, Question, Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'

/** What the trigger service's part of a client is made of. */
export type TriggersParts = Pick<Surroundings, 'now' | 'random' | 'sleep'> & {
  requester: Requester
  /** One that a person has approved, or will have. */
  token?: string | undefined
  /** Ends every call of the client. */
  signal?: AbortSignal | undefined
}

/**
 * Asks for what is under `/api`.
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

/** As part of a path another text would name something else: with an empty id, the list in place of a trigger. */
function checked(of: 'trigger' | 'run', id: string, characters: number): string {
  if (id.length === characters && /^[\w-]+$/.test(id)) return id
  const message = `this is no ${of}’s id: one has ${characters} characters of base64url`
  throw new NotSent('malformed_id', message, `Give it as the ${of}’s record has it.`)
}
