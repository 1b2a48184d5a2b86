import type { z } from 'zod'
import type { svcActionAnswer } from '../../wire/core.ts'
import type { ClientParts } from '../client-parts.ts'
import { NotSent } from '../failures/on-the-way.ts'
import { withoutNullMembers } from '../../without-null-members.ts'
import type { CallOptions } from '../options.ts'
import type { CoreCalls } from './core-calls.ts'

export type ActionToRun = {
  /** The whole source: its CID is what the key has to be permitted to run. */
  code: string
  /** What `main` is given; JSON. */
  js_params?: object
}

/** @typeParam Response what the action returns, which nobody checks */
export type ActionAnswer<Response = unknown> = Omit<z.infer<typeof svcActionAnswer>, 'response'> & {
  response: Response
}

export type ActionOptions = CallOptions & {
  /**
   * Key, code, params and answer are for the verified origin alone, and the receipt is checked; what is on the way reads
   * nothing. The default of `verify: 'required'`.
   */
  sealed?: boolean
}

type Execution = Pick<ClientParts, 'sealedActions' | 'verification'> & {
  calls: CoreCalls
  /** @throws {NotSent} where the client has none */
  apiKey: () => string
}

/**
 * Runs an action once, however often the call is sent, and waits for its end.
 * @throws {ActionFailed} where it ran and failed; {Forbidden} where the key may not run it
 * @throws {SvcError} of `verification/failures.ts`, where it is sealed
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
