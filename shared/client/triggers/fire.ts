import { NetworkFailed } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import { triggerIdOf, type TriggersParts } from './send-request.ts'
import { CHECK_RUNS_FIX } from './lost-responses.ts'
import type { FiredRun } from './records.ts'

/**
 * Options of `fire`. With `idempotencyKey`, the event is sent again after a lost response. Set the key only for
 * triggers with `options.dedup`.
 */
export type FireOptions = CallOptions

/**
 * Posts an event unmodified and without a credential, as its sender would.
 * @param headers additional headers, for example a signature. A content type is optional for JSON
 * @throws {ServiceUnavailable} `trigger_disabled`
 */
export async function fire(
  { requester }: TriggersParts,
  triggerId: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
  options: FireOptions = {},
): Promise<FiredRun> {
  const path = `/webhook/${triggerIdOf(triggerId)}`
  const repeat = options.idempotencyKey === undefined ? 'never' : 'once'
  try {
    const request = { method: 'POST', path, body, headers, repeat, options } as const
    return (await requester.edge<FiredRun>(request)).body
  } catch (error) {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted || repeat === 'once')
      throw error
    throw new NetworkFailed({ mayHaveBeenExecuted: true, fix: CHECK_RUNS_FIX }, { cause: error })
  }
}
