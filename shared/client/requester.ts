/** The one place that sends. */
import { IDEMPOTENCY_KEY_MAX } from '../limits.ts'
import { answerOf, type Read } from './answers.ts'
import { type CredentialKind, headerOf, kindOf } from './credential.ts'
import type { SvcError } from './failures.ts'
import { NetworkFailed, NotSent, NotTheApi } from './failures/on-the-way.ts'
import { ServerFailure, ServiceUnavailable, TooManyRequests } from './failures/by-status.ts'
import type { RetryOptions } from './options.ts'
import { randomUuid } from './random-uuid.ts'
import type { Answered, Question, Requester } from './request.ts'
import { Retries } from './retries.ts'
import type { Surroundings } from './surroundings.ts'
import { wasUnsent } from './unsent.ts'

export type RequesterParts = Surroundings & {
  /** `hostOf` of the origin, and of the edge where there is one. */
  origin: string
  edge: string | undefined
  retries: RetryOptions | undefined
  /** Ends every question. */
  signal: AbortSignal | undefined
  /** Awaited each time before a credential is sent; what it throws ends the question with nothing sent. */
  beforeCredential: (kind: CredentialKind, signal: AbortSignal | undefined) => Promise<void>
}

export function createRequester(parts: RequesterParts): Requester {
  const ask = (host: string, question: Question) => asked(parts, host, question)
  return {
    core: <Body>(question: Question) => ask(parts.origin, question) as Promise<Answered<Body>>,
    edge: async <Body>(question: Question) => {
      if (parts.edge !== undefined) return (await ask(parts.edge, question)) as Answered<Body>
      const fix = 'Give createClient the triggersUrl of the edge.'
      throw new NotSent('no_triggers_url', 'the client was made without triggersUrl', fix)
    },
  }
}

async function asked(
  parts: RequesterParts,
  host: string,
  question: Question,
): Promise<Answered<unknown>> {
  const signal = eitherOf(parts.signal, question.options?.signal)
  signal?.throwIfAborted()
  const headers = headersOf(question, parts)
  const idempotencyKey = headers['idempotency-key']
  const body = question.json === undefined ? undefined : JSON.stringify(question.json)
  const send = async (): Promise<Read> => {
    if (question.credential) await parts.beforeCredential(kindOf(question.credential), signal)
    signal?.throwIfAborted()
    try {
      const response = await parts.fetch(host + question.path, {
        method: question.method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
      return await answerOf(response, question, parts.now())
    } catch (error) {
      signal?.throwIfAborted()
      const mayHaveBeenExecuted = question.method !== 'GET' && !wasUnsent(error)
      const cause = { cause: error }
      return {
        failure: new NetworkFailed({ mayHaveBeenExecuted, idempotencyKey }, cause),
        wasExecuted: false,
      }
    }
  }

  const retries = new Retries(parts.retries, parts.random)
  for (let lost = false; ;) {
    const read = await send()
    if ('answered' in read) return read.answered
    lost ||= isOutcomeOpen(read.failure, question)
    const waitMs = retries.after(read, question.repeat)
    if (waitMs === undefined) throw lost ? lostFailure(read.failure, idempotencyKey) : read.failure
    await parts.sleep(waitMs, signal)
    signal?.throwIfAborted()
  }
}

function eitherOf(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

function headersOf(question: Question, { random }: Surroundings): Record<string, string> {
  const { credential, json, method, options, repeat, wants } = question
  const headers: Record<string, string> = {
    accept: wants === 'csv' ? 'text/csv' : 'application/json',
  }
  if (json !== undefined) headers['content-type'] = 'application/json'
  if (credential) {
    const [name, value] = headerOf(credential)
    headers[name] = value
  }
  const key = options?.idempotencyKey ?? (repeat === 'once' ? randomUuid(random) : undefined)
  if (key !== undefined && method === 'POST') headers['idempotency-key'] = requireKey(key)
  return headers
}

function requireKey(key: string): string {
  if (key.length <= IDEMPOTENCY_KEY_MAX && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key))
    return key
  throw new NotSent(
    'bad_idempotency_key',
    `idempotencyKey: expected 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters`,
    'Give a random id, such as a UUID: one for each call that you mean to make once.',
  )
}

/** Whether the question may have had its effect, and the answer does not say which. */
function isOutcomeOpen(failure: SvcError, { method }: Question): boolean {
  if (failure instanceof NetworkFailed) return failure.mayHaveBeenExecuted
  return method !== 'GET' && failure instanceof NotTheApi && (failure.status ?? 0) >= 500
}

/**
 * The last try says nothing of an earlier one whose answer was lost, unless it was answered under the same
 * Idempotency-Key by more than a refusal for now.
 */
function lostFailure(last: SvcError, idempotencyKey: string | undefined): SvcError {
  const isOpen =
    last instanceof NetworkFailed ||
    last instanceof NotTheApi ||
    last instanceof TooManyRequests ||
    last instanceof ServiceUnavailable ||
    last instanceof ServerFailure
  if (!isOpen) return last
  return new NetworkFailed({ mayHaveBeenExecuted: true, idempotencyKey }, { cause: last })
}
