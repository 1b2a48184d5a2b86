/**
 * `Idempotency-Key`: a repeated request gets the first response. Only operations with an API key store responses. The
 * others, such as `new_account`, ignore the header.
 */
import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { IDEMPOTENCY_KEY_MAX } from '../../shared/limits.ts'
import type { Principal } from '../accounts/state.ts'
import { NoProcessor } from '../credits/processor/no-processor.ts'
import type { KeptAnswer } from '../idempotency/answer-codec.ts'
import type { Begun } from '../idempotency/kept-answers.ts'
import type { Services } from '../services.ts'
import { ActionStopped } from './action-failure.ts'
import { failureAnswer, toApiError } from './failure.ts'
import { KeyShownBefore } from './key-shown-before.ts'

type Keeping = {
  method: 'GET' | 'POST'
  path: string
  showsKey?: string
  runsOnce?: true
}

/**
 * Returns `undefined` if the response is not stored.
 * @throws {ApiError} 400 for an invalid key
 */
export function idempotencyKeyOf(
  context: Context,
  operation: Keeping,
  principal: Principal | undefined,
): string | undefined {
  if (operation.method !== 'POST' || !principal) return undefined
  const key = context.req.header('idempotency-key')
  if (key === undefined) return undefined
  if (key.length <= IDEMPOTENCY_KEY_MAX && /^[\x20-\x7e]+$/.test(key)) return key
  throw new ApiError(
    400,
    `Idempotency-Key: expected 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters.`,
    'Send a random ID, such as a UUID, and use a new one for each distinct request.',
  )
}

export type Once = {
  operation: Keeping
  principal: Principal
  idempotencyKey: string
  /** Raw bytes. */
  body: Uint8Array
}

/**
 * @param execute may be called again after a crash, with the same write ID
 * @returns the result of `execute`, or the stored response
 * @throws {ApiError} 409 or 422, and any error of `execute`
 */
export async function once<Answer>(
  { operation, principal, idempotencyKey, body }: Once,
  services: Services,
  execute: (writeId: string) => Promise<Answer>,
): Promise<{ fresh: Answer } | { kept: KeptAnswer }> {
  const { method, path } = operation
  const beginning = await services.keptAnswers.begin(
    {
      accountHash: principal.account.hash,
      keyHash: principal.keyHash,
      method,
      path,
      idempotencyKey,
    },
    body,
    { runsOnce: operation.runsOnce === true },
  )
  switch (beginning.state) {
    case 'begun':
      return { fresh: await executed(beginning, operation, services, execute) }
    case 'answered':
      if (operation.showsKey === undefined) return { kept: beginning.answer }
      throw new KeyShownBefore(JSON.parse(beginning.answer.body))
    case 'in_progress':
      throw new ApiError(
        409,
        'A request with this Idempotency-Key is in progress.',
        'Repeat the request a moment later to get the response of the first one.',
        { reason: 'request_in_progress', headers: { 'retry-after': '1' } },
      )
    case 'other_body':
      throw new ApiError(
        422,
        'Idempotency-Key: already used for a request with a different body.',
        'Send exactly the body of the first request, or a new Idempotency-Key.',
      )
    case 'lost':
      throw new ApiError(
        409,
        'The server went down while it executed the request with this Idempotency-Key. The request may have taken effect and will not be executed again.',
        'Check whether it took effect; to execute it again, send a new Idempotency-Key.',
        { reason: 'outcome_unknown' },
      )
  }
}

async function executed<Answer>(
  begun: Begun,
  operation: Keeping,
  services: Services,
  execute: (writeId: string) => Promise<Answer>,
): Promise<Answer> {
  const ended = async (ending: Promise<void>) => {
    try {
      await ending
    } catch (error) {
      // The caller still gets the response; the outcome is unknown only to repeated requests.
      const cause = error instanceof Error ? error.name : 'unknown'
      services.log('idempotency.not_kept', { route: operation.path, cause })
    }
  }
  try {
    const answer = await execute(begun.writeId)
    await ended(begun.keep({ status: 200, headers: {}, body: keptText(operation, answer) }))
    return answer
  } catch (error) {
    if (error instanceof KeyShownBefore)
      await ended(begun.keep({ status: 200, headers: {}, body: JSON.stringify(error.keyHash) }))
    else if (wasRefused(error, operation)) await ended(begun.forget())
    else if (operation.runsOnce) await ended(begun.keep(keptFailure(error, services)))
    else await ended(begun.release())
    throw error
  }
}

/** If the response contains a key, only the key's hash is stored. */
function keptText({ showsKey }: Keeping, answer: unknown): string {
  return JSON.stringify(showsKey === undefined ? answer : Reflect.get(answer as object, showsKey))
}

function keptFailure(error: unknown, { settings }: Services): KeptAnswer {
  const { status, headers, body } = failureAnswer(error, settings.SVC_PUBLIC_URL)
  return { status, headers, body: JSON.stringify(body) }
}

/**
 * True if the request had no effect. A write that failed with 5xx may still be mined, so a repeated request must use
 * the same write ID. An action that never started fails with 503, and one that started fails with 500.
 */
function wasRefused(error: unknown, { runsOnce }: Keeping): boolean {
  if (error instanceof ActionStopped) return false
  if (error instanceof NoProcessor) return true
  const { status } = toApiError(error)
  return status < 500 || (status === 503 && runsOnce === true)
}
