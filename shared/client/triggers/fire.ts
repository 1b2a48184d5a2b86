import { NetworkFailed, NotSent } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import { triggerIdOf, type TriggersParts } from './ask.ts'
import { LOOK_AT_RUNS } from './lost-answers.ts'
import type { FiredRun } from './records.ts'

/** With an `idempotencyKey` the event is sent again when its answer is lost: only for triggers with `options.dedup`. */
export type FireOptions = CallOptions

/**
 * Posts an event to a webhook, byte for byte, as its sender would: without a credential.
 * @param headers such as a signature; without a content type JSON is recognised all the same
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
  const sent = Object.fromEntries(headersOf(headers))
  const repeat = options.idempotencyKey === undefined ? 'never' : 'once'
  try {
    const question = { method: 'POST', path, body, headers: sent, repeat, options } as const
    return (await requester.edge<FiredRun>(question)).body
  } catch (error) {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted || repeat === 'once')
      throw error
    throw new NetworkFailed({ mayHaveBeenExecuted: true, fix: LOOK_AT_RUNS }, { cause: error })
  }
}

/** @throws {NotSent} `bad_header`, without its value: it may be a secret */
function headersOf(headers: Readonly<Record<string, string>>): Headers {
  const read = new Headers()
  for (const [name, value] of Object.entries(headers))
    try {
      read.set(name, value)
    } catch {
      const fix = 'Names are tokens of ASCII, values have no line breaks.'
      throw new NotSent(
        'bad_header',
        `headers: HTTP takes no ${JSON.stringify(name)} of this value`,
        fix,
      )
    }
  return read
}
