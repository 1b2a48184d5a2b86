/** Computes the outcome of an API request: a response, or a broken or hanging connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import { answerTo, type Caller } from './api.ts'
import { ProcessorApiError } from './api-error.ts'
import { type Fault, faultOf } from './faults.ts'
import { fieldsOf } from './form.ts'
import type { Answered, Executed, IdempotencyKeys } from './idempotency.ts'
import type { Paying } from './paying.ts'
import type { Records } from './records.ts'

export type ApiRequest = {
  method: string
  path: string
  /** Includes the question mark. */
  search: string
  body: string
  caller: Caller
  idempotencyKey: string | undefined
}

export type Outcome = Answered | 'reset' | 'hang'

/** @throws {ProcessorApiError} */
export async function outcomeOf(
  request: ApiRequest,
  met: readonly Fault[],
  { records, paying, keys }: { records: Records; paying: Paying; keys: IdempotencyKeys },
): Promise<Outcome> {
  const { method, path, search, body, caller, idempotencyKey } = request
  if (faultOf(met, 'hangs')) return 'hang'
  if (faultOf(met, 'reset_before')) return 'reset'
  if (faultOf(met, 'other_json')) return { status: 503, body: '{"message":"no healthy upstream"}' }
  const fields = fieldsOf(method === 'GET' ? search : body)
  const execute = async (): Promise<Executed> => {
    const slow = faultOf(met, 'slow')
    if (slow) await sleep(slow.ms)
    const before = faultOf(met, 'fails_before')
    if (before) return { answer: failure(before), ...(before.kept && { keep: failure(before) }) }
    const done = ok(answerTo({ method, path, fields, caller }, records, paying))
    const after = faultOf(met, 'fails_after')
    if (!after) return { answer: done, keep: done }
    return { answer: failure(after), keep: after.kept ? failure(after) : done }
  }
  const isKeyed = method === 'POST' && caller === 'secret'
  const key = isKeyed ? idempotencyKey : undefined
  const answer = await keys.once(key, `${method} ${path}?${body}`, execute)
  return faultOf(met, 'reset_after') ? 'reset' : answer
}

export const ok = (object: object): Answered => ({ status: 200, body: JSON.stringify(object) })

export function refused(error: ProcessorApiError): Answered {
  return { status: error.status, body: JSON.stringify(error.body()) }
}

function failure({ status = 500 }: { status?: number }): Answered {
  return refused(new ProcessorApiError(status, 'An unknown error occurred', { type: 'api_error' }))
}
