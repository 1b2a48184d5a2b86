/** Sends all requests that are not sealed. `verification/` sends sealed calls. */
import { readApiResponse, type ReadResult } from './read-api-response.ts'
import { type CredentialKind, credentialKinds } from './credential.ts'
import { anySignal } from './abortable.ts'
import type { SvcError } from './failures/svc-error.ts'
import { NetworkFailed, NotSent, NotTheApi } from './failures/transport-errors.ts'
import {
  ServerFailure,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
} from './failures/by-status.ts'
import type { RetryOptions } from './options.ts'
import { requestHeaders } from './request-headers.ts'
import type { ClientResponse, ClientRequest, Requester } from './request.ts'
import { Retries } from './retries.ts'
import type { RuntimeEnvironment } from './runtime-environment.ts'
import { wasUnsent } from './unsent.ts'

export type RequesterParts = RuntimeEnvironment & {
  /** Scheme, host and port of the origin (see `parseBaseUrl`). `edge` is undefined if no edge is configured. */
  origin: string
  edge: string | undefined
  retries: RetryOptions | undefined
  signal: AbortSignal | undefined
  /** Awaited before each credential is sent. If the callback throws, the request is not sent. */
  beforeCredential: (kind: CredentialKind, signal: AbortSignal | undefined) => Promise<void>
}

export function createRequester(parts: RequesterParts): Requester {
  const send = (host: string, question: ClientRequest) => sendRequest(parts, host, question)
  return {
    core: <Body>(question: ClientRequest) =>
      send(parts.origin, question) as Promise<ClientResponse<Body>>,
    edge: async <Body>(question: ClientRequest) => {
      if (parts.edge !== undefined)
        return (await send(parts.edge, question)) as ClientResponse<Body>
      const fix = 'Pass the edge’s triggersUrl to createClient.'
      throw new NotSent('no_triggers_url', 'the client was created without triggersUrl', fix)
    },
  }
}

async function sendRequest(
  parts: RequesterParts,
  host: string,
  request: ClientRequest,
): Promise<ClientResponse<unknown>> {
  const signal = anySignal(parts.signal, request.options?.signal)
  signal?.throwIfAborted()
  const headers = requestHeaders(request, parts.random)
  const idempotencyKey = headers['idempotency-key']
  const body = request.json === undefined ? request.body : JSON.stringify(request.json)
  const kinds = credentialKinds(request)
  const send = async (): Promise<ReadResult> => {
    for (const kind of kinds) await parts.beforeCredential(kind, signal)
    signal?.throwIfAborted()
    try {
      const response = await parts.fetch(host + request.path, {
        method: request.method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
      return await readApiResponse(response, request, parts.now())
    } catch (error) {
      signal?.throwIfAborted()
      const mayHaveBeenExecuted = request.method !== 'GET' && !wasUnsent(error)
      const cause = { cause: error }
      return {
        failure: new NetworkFailed({ mayHaveBeenExecuted, idempotencyKey }, cause),
        wasExecuted: false,
      }
    }
  }

  const retries = new Retries(parts.retries, parts.random)
  for (let isOutcomeUnknown = false; ;) {
    const read = await send().catch((error: unknown): never => {
      signal?.throwIfAborted()
      // The last attempt was not sent, but the outcome of an earlier attempt is still unknown.
      throw isOutcomeUnknown
        ? new NetworkFailed({ mayHaveBeenExecuted: true, idempotencyKey }, { cause: error })
        : error
    })
    if ('answered' in read) return read.answered
    isOutcomeUnknown ||= mayHaveTakenEffect(read.failure, request)
    const waitMs = retries.after(read, request.repeat)
    if (waitMs === undefined)
      throw isOutcomeUnknown ? unknownOutcomeError(read.failure, idempotencyKey) : read.failure
    await parts.sleep(waitMs, signal)
    signal?.throwIfAborted()
  }
}

function mayHaveTakenEffect(failure: SvcError, { method }: ClientRequest): boolean {
  if (failure instanceof NetworkFailed) return failure.mayHaveBeenExecuted
  return method !== 'GET' && failure instanceof NotTheApi && (failure.status ?? 0) >= 500
}

/**
 * Returns the error for a call with a lost attempt. The last response shows the outcome of the lost attempt only if it
 * answers the same Idempotency-Key, and is not a temporary rejection. A 401 does not show the outcome, because the
 * service checks the credential before the key: the credential may have been replaced in between, or one process may
 * not have seen another's change yet.
 */
function unknownOutcomeError(last: SvcError, idempotencyKey: string | undefined): SvcError {
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
