/**
 * Implements the `Idempotency-Key` header: a repeated request gets the first response. Responses are stored only for
 * operations with an API key. Other operations, such as `new_account`, ignore the header.
 */
import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { idempotencyKeyReused, parseIdempotencyKey } from '../../shared/wire/idempotency-key.ts'
import type { Principal } from '../accounts/account.ts'
import { NoProcessorError } from '../credits/processor/processor.ts'
import type { StoredResponse } from '../idempotency/response-codec.ts'
import type { StartedRequest } from '../idempotency/idempotency-store.ts'
import type { OriginServices } from '../services.ts'
import { ActionStoppedError } from './action-errors.ts'
import { failureResponse, apiErrorFrom } from './failure.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'

type IdempotentOperation = {
  method: 'GET' | 'POST'
  path: string
  showsKey?: string
  runsOnce?: true
}

/**
 * Reads the request's idempotency key. Returns `undefined` if the response will not be stored.
 * @throws {ApiError} 400 for an invalid key
 */
export function readIdempotencyKey(
  context: Context,
  operation: IdempotentOperation,
  principal: Principal | undefined,
): string | undefined {
  if (operation.method !== 'POST' || !principal) return undefined
  return parseIdempotencyKey(context.req.header('idempotency-key'))
}

type IdempotentRequest = {
  operation: IdempotentOperation
  principal: Principal
  idempotencyKey: string
  body: Uint8Array
}

/**
 * Executes a request, or returns the stored response of an earlier request with the same idempotency key.
 * @param execute may be called again after a crash, with the same write ID
 * @throws {ApiError} 409 or 422, and any error of `execute`
 */
export async function executeOnce<Answer>(
  { operation, principal, idempotencyKey, body }: IdempotentRequest,
  services: OriginServices,
  execute: (writeId: string) => Promise<Answer>,
): Promise<{ fresh: Answer } | { kept: StoredResponse }> {
  const { method, path } = operation
  const attempt = await services.storedResponses.begin(
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
  switch (attempt.state) {
    case 'begun':
      return { fresh: await executeAndStore(attempt, operation, services, execute) }
    case 'answered':
      if (operation.showsKey === undefined) return { kept: attempt.answer }
      throw new KeyAlreadyShownError(JSON.parse(attempt.answer.body))
    case 'in_progress':
      throw new ApiError(
        409,
        'A request with this Idempotency-Key is in progress.',
        'Repeat the request a moment later to get the response of the first one.',
        { reason: 'request_in_progress', headers: { 'retry-after': '1' } },
      )
    case 'other_body':
      throw idempotencyKeyReused()
    case 'lost':
      throw new ApiError(
        409,
        'The server went down while it executed the request with this Idempotency-Key. The request may have taken effect and will not be executed again.',
        'Check whether it took effect; to execute it again, send a new Idempotency-Key.',
        { reason: 'outcome_unknown' },
      )
  }
}

async function executeAndStore<Answer>(
  begun: StartedRequest,
  operation: IdempotentOperation,
  services: OriginServices,
  execute: (writeId: string) => Promise<Answer>,
): Promise<Answer> {
  const logFailure = async (ending: Promise<void>) => {
    try {
      await ending
    } catch (error) {
      // The caller still gets the response, although the outcome could not be recorded. Repeated requests will report
      // an unknown outcome.
      const cause = error instanceof Error ? error.name : 'unknown'
      services.log('idempotency.not_kept', { route: operation.path, cause })
    }
  }
  try {
    const answer = await execute(begun.writeId)
    await logFailure(begun.store({ status: 200, headers: {}, body: storedBody(operation, answer) }))
    return answer
  } catch (error) {
    if (error instanceof KeyAlreadyShownError)
      await logFailure(
        begun.store({ status: 200, headers: {}, body: JSON.stringify(error.keyHash) }),
      )
    else if (hadNoEffect(error, operation)) await logFailure(begun.forget())
    else if (operation.runsOnce) await logFailure(begun.store(storedFailure(error, services)))
    else await logFailure(begun.release())
    throw error
  }
}

/** If the response contains a key, stores only the key's hash. */
function storedBody({ showsKey }: IdempotentOperation, answer: unknown): string {
  return JSON.stringify(showsKey === undefined ? answer : Reflect.get(answer as object, showsKey))
}

function storedFailure(error: unknown, { settings }: OriginServices): StoredResponse {
  const { status, headers, body } = failureResponse(error, settings.SVC_PUBLIC_URL)
  return { status, headers, body: JSON.stringify(body) }
}

/**
 * True if a failed request had no effect. A write that failed with 5xx may still be mined, so a repeated request must
 * use the same write ID. An action that never started fails with 503, and an action that started fails with 500.
 */
function hadNoEffect(error: unknown, { runsOnce }: IdempotentOperation): boolean {
  if (error instanceof ActionStoppedError) return false
  if (error instanceof NoProcessorError) return true
  const { status } = apiErrorFrom(error)
  return status < 500 || (status === 503 && runsOnce === true)
}
