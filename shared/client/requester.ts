/** Sends all requests that are not sealed. `verification/` sends the sealed calls. */
import { answerOf, type Read } from './answers.ts'
import { type CredentialKind, kindsIn } from './credential.ts'
import { eitherSignal } from './either-signal.ts'
import type { SvcError } from './failures.ts'
import { NetworkFailed, NotSent, NotTheApi } from './failures/on-the-way.ts'
import {
  ServerFailure,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
} from './failures/by-status.ts'
import type { RetryOptions } from './options.ts'
import { headersOf } from './request-headers.ts'
import type { Answered, Question, Requester } from './request.ts'
import { Retries } from './retries.ts'
import type { Surroundings } from './surroundings.ts'
import { wasUnsent } from './unsent.ts'

export type RequesterParts = Surroundings & {
  /** Scheme, host and port (see `hostOf`). `edge` is undefined if no edge is configured. */
  origin: string
  edge: string | undefined
  retries: RetryOptions | undefined
  signal: AbortSignal | undefined
  /** Awaited before each credential is sent. If it throws, the request is not sent. */
  beforeCredential: (kind: CredentialKind, signal: AbortSignal | undefined) => Promise<void>
}

export function createRequester(parts: RequesterParts): Requester {
  const ask = (host: string, question: Question) => asked(parts, host, question)
  return {
    core: <Body>(question: Question) => ask(parts.origin, question) as Promise<Answered<Body>>,
    edge: async <Body>(question: Question) => {
      if (parts.edge !== undefined) return (await ask(parts.edge, question)) as Answered<Body>
      const fix = 'Pass the edge’s triggersUrl to createClient.'
      throw new NotSent('no_triggers_url', 'the client was created without triggersUrl', fix)
    },
  }
}

async function asked(
  parts: RequesterParts,
  host: string,
  question: Question,
): Promise<Answered<unknown>> {
  const signal = eitherSignal(parts.signal, question.options?.signal)
  signal?.throwIfAborted()
  const headers = headersOf(question, parts.random)
  const idempotencyKey = headers['idempotency-key']
  const body = question.json === undefined ? question.body : JSON.stringify(question.json)
  const kinds = kindsIn(question)
  const send = async (): Promise<Read> => {
    for (const kind of kinds) await parts.beforeCredential(kind, signal)
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
    const read = await send().catch((error: unknown): never => {
      signal?.throwIfAborted()
      // This attempt was not sent, but the outcome of an earlier attempt is still unknown.
      throw lost
        ? new NetworkFailed({ mayHaveBeenExecuted: true, idempotencyKey }, { cause: error })
        : error
    })
    if ('answered' in read) return read.answered
    lost ||= isOutcomeOpen(read.failure, question)
    const waitMs = retries.after(read, question.repeat)
    if (waitMs === undefined) throw lost ? lostFailure(read.failure, idempotencyKey) : read.failure
    await parts.sleep(waitMs, signal)
    signal?.throwIfAborted()
  }
}

/** True if the request may have taken effect, but the response does not show it. */
function isOutcomeOpen(failure: SvcError, { method }: Question): boolean {
  if (failure instanceof NetworkFailed) return failure.mayHaveBeenExecuted
  return method !== 'GET' && failure instanceof NotTheApi && (failure.status ?? 0) >= 500
}

/**
 * The last response shows the outcome of a lost attempt only if it answers the same Idempotency-Key, and is not a
 * temporary rejection. A 401 does not show the outcome, because the service checks the credential before the key: the
 * credential may have been replaced in between, or one process may not have seen another's change yet.
 */
function lostFailure(last: SvcError, idempotencyKey: string | undefined): SvcError {
  const isOpen =
    last instanceof NetworkFailed ||
    last instanceof NotTheApi ||
    last instanceof TooManyRequests ||
    last instanceof ServiceUnavailable ||
    last instanceof ServerFailure ||
    last instanceof Unauthorized
  if (!isOpen) return last
  return new NetworkFailed({ mayHaveBeenExecuted: true, idempotencyKey }, { cause: last })
}
