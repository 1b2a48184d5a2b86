import type { z } from 'zod'
import type { svcActionAnswer } from '../../wire/core.ts'
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

/**
 * Runs an action once, however often the call is sent, and waits for its end.
 * @throws {ActionFailed} where it ran and failed; {Forbidden} where the key may not run it
 */
export async function runAction<Response>(
  calls: CoreCalls,
  { code, js_params = {} }: ActionToRun,
  options?: CallOptions,
): Promise<ActionAnswer<Response>> {
  return calls.write('svc_action', { code, js_params }, options)
}
