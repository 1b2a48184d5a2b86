/** Failures before the service could answer, and responses from something other than the service. */
import { SvcError } from '../failures.ts'

/** The client itself rejected the call. Nothing was sent. */
export class NotSent extends SvcError {
  override name = 'NotSent'
  constructor(code: string, message: string, fix: string) {
    super(message, { code, fix })
  }
}

/**
 * A response that the API never sends, such as an HTML page: since `v1.2`, all of its responses are JSON. This includes
 * redirects, which are not followed so that credentials are not forwarded.
 */
export class NotTheApi extends SvcError {
  override name = 'NotTheApi'
  /** @param what describes the response, such as "text/html" */
  constructor(what: string, status: number, requestId: string | undefined) {
    super(`what answered is not the API: ${what} (status ${status})`, {
      status,
      code: 'not_the_api',
      fix: 'Check baseUrl and triggersUrl, and what stands on the way: a proxy, a sign-in page of a network.',
      requestId,
    })
  }
}

export type Loss = {
  /** True if the call may have taken effect. */
  mayHaveBeenExecuted: boolean
  /** The key that the write was sent under. */
  idempotencyKey?: string | undefined
  fix?: string
}

/** No response arrived, or the responses leave the outcome of the call unknown. */
export class NetworkFailed extends SvcError {
  override name = 'NetworkFailed'
  readonly mayHaveBeenExecuted: boolean
  /** Retrying under this key executes the call at most once and returns the first response. */
  readonly idempotencyKey: string | undefined

  constructor({ mayHaveBeenExecuted, idempotencyKey, fix }: Loss, options?: ErrorOptions) {
    const message = mayHaveBeenExecuted
      ? 'the answer was lost: the call may have been executed'
      : 'no answer came'
    super(
      message,
      { code: 'network_failed', fix: fix ?? fixOf(mayHaveBeenExecuted, idempotencyKey) },
      options,
    )
    this.mayHaveBeenExecuted = mayHaveBeenExecuted
    this.idempotencyKey = idempotencyKey
  }
}

function fixOf(mayHaveBeenExecuted: boolean, idempotencyKey: string | undefined): string {
  if (!mayHaveBeenExecuted) return 'Check the network and the address, and call again.'
  return idempotencyKey === undefined
    ? 'Look whether the call had its effect before you call again.'
    : 'Call again with the idempotencyKey of this failure: it is executed at most once.'
}
