import type { z } from 'zod'
import type { svcActionAnswer } from '../../wire/core.ts'
import type { ClientParts } from '../client-parts.ts'
import { NotSent } from '../failures/on-the-way.ts'
import { withoutNullMembers } from '../../without-null-members.ts'
import type { CallOptions } from '../options.ts'
import type { CoreCalls } from './core-calls.ts'

export type ActionToRun = {
  /** The complete source. The key must be permitted to run its CID. */
  code: string
  /** JSON argument of `main`. */
  js_params?: object
}

/** @typeParam Response type of the action's return value; not checked at run time */
export type ActionAnswer<Response = unknown> = Omit<z.infer<typeof svcActionAnswer>, 'response'> & {
  response: Response
}

export type ActionOptions = CallOptions & {
  /**
   * Encrypts key, code, params and response for the verified origin, so that intermediaries cannot read them, and
   * checks the receipt. Default if `verify` is `'required'`.
   */
  sealed?: boolean
}

type Execution = Pick<ClientParts, 'sealedActions' | 'verification'> & {
  calls: CoreCalls
  /** @throws {NotSent} if the client has no key */
  apiKey: () => string
}

/**
 * Runs an action at most once, even if the call is retried, and waits for it to finish.
 * @throws {ActionFailed} if the action ran and failed; {Forbidden} if the key may not run it
 * @throws {SvcError} of `verification/failures.ts`, if the call is sealed
 */
export async function runAction<Response>(
  { calls, sealedActions, verification, apiKey }: Execution,
  action: ActionToRun,
  { sealed = verification.sealsByDefault, ...options }: ActionOptions = {},
): Promise<ActionAnswer<Response>> {
  const { code, js_params = {} } = withoutNullMembers(action)
  if (!sealed) return calls.write('svc_action', { code, js_params }, options)
  if (options.idempotencyKey !== undefined) {
    const fix = 'Leave idempotencyKey out: a sealed call is executed at most once as it is.'
    throw new NotSent('sealed_once', 'a sealed call takes no Idempotency-Key', fix)
  }
  const answer = await sealedActions.svcAction(apiKey(), { code, js_params }, options)
  return answer as ActionAnswer<Response>
}
