import type { z } from 'zod'
import type { svcActionResponse } from '../../wire/core.ts'
import type { ClientParts } from '../client-parts.ts'
import { NotSent } from '../failures/transport-errors.ts'
import { withoutNullMembers } from '../../json/without-null-members.ts'
import type { CallOptions } from '../options.ts'
import type { CoreCalls } from './core-calls.ts'

export type ActionToRun = {
  /** Complete source of the action. The key must be permitted to run the source's CID. */
  code: string
  /** Argument of the action's `main` function, serializable as JSON. */
  js_params?: object
}

/** Response of `svc_action`. @typeParam Response type of the action's return value, which is not checked at run time */
export type ActionAnswer<Response = unknown> = Omit<
  z.infer<typeof svcActionResponse>,
  'response'
> & {
  response: Response
}

export type ActionOptions = CallOptions & {
  /**
   * Encrypts the key, code, params and response end to end for the verified origin, and verifies the receipt. Default:
   * true if `verify` is `'required'`, otherwise false.
   */
  sealed?: boolean
}

type Execution = Pick<ClientParts, 'sealedActions' | 'verification'> & {
  calls: CoreCalls
  apiKey: () => string
}

/**
 * Runs an action and waits until it finishes. The action runs at most once, even if the call is retried.
 * @throws {ActionFailed} if the action ran and failed
 * @throws {Forbidden} if the key may not run the action
 * @throws {SvcError} an error of `verification/failures.ts`, if the call is sealed
 */
export async function runAction<Response>(
  { calls, sealedActions, verification, apiKey }: Execution,
  action: ActionToRun,
  { sealed = verification.sealsByDefault, ...options }: ActionOptions = {},
): Promise<ActionAnswer<Response>> {
  const { code, js_params = {} } = withoutNullMembers(action)
  if (!sealed) return calls.write('svc_action', { code, js_params }, options)
  if (options.idempotencyKey !== undefined) {
    const fix = 'Omit idempotencyKey: a sealed call is always executed at most once.'
    throw new NotSent('sealed_once', 'a sealed call does not accept an Idempotency-Key', fix)
  }
  const answer = await sealedActions.svcAction(apiKey(), { code, js_params }, options)
  return answer as ActionAnswer<Response>
}
