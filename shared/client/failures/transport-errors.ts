import { SvcError } from './svc-error.ts'

/** The client rejected the call before sending anything. */
export class NotSent extends SvcError {
  override name = 'NotSent'
  constructor(code: string, message: string, fix: string) {
    super(message, { code, fix })
  }
}

/**
 * The response is not from the API, for example an HTML page. Since `v1.2`, all responses of the API are JSON.
 * Redirects are also reported with this error, because following them could forward credentials.
 */
export class NotTheApi extends SvcError {
  override name = 'NotTheApi'
  /** @param what description of the response, such as "text/html" */
  constructor(what: string, status: number, requestId: string | undefined) {
    super(`the response is not from the API: ${what} (status ${status})`, {
      status,
      code: 'not_the_api',
      fix: 'Check baseUrl and triggersUrl, and for intermediaries such as a proxy or a network’s sign-in page.',
      requestId,
    })
  }
}

type NetworkFailureFields = {
  mayHaveBeenExecuted: boolean
  idempotencyKey?: string | undefined
  fix?: string
}

/** No response arrived, or the responses do not show the outcome of the call. */
export class NetworkFailed extends SvcError {
  override name = 'NetworkFailed'
  readonly mayHaveBeenExecuted: boolean
  /**
   * Key for a retry. A retry with this key executes the call at most once, and returns the response to the first
   * execution.
   */
  readonly idempotencyKey: string | undefined

  constructor(
    { mayHaveBeenExecuted, idempotencyKey, fix }: NetworkFailureFields,
    options?: ErrorOptions,
  ) {
    const message = mayHaveBeenExecuted
      ? 'the response was lost: the call may have been executed'
      : 'no response'
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
  if (!mayHaveBeenExecuted) return 'Check the network and the address, then call again.'
  return idempotencyKey === undefined
    ? 'Check whether the call took effect before you call again.'
    : 'Call again with the idempotencyKey of this error: the call is executed at most once.'
}

/**
 * Returns an error handler that replaces the advice if the response was lost, and rethrows any other error.
 * @param keepsKey true if a retry with the same Idempotency-Key is useful
 */
export function adviseIfLost(fix: string, { keepsKey = false } = {}): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted) throw error
    const idempotencyKey = keepsKey ? error.idempotencyKey : undefined
    const fields = { mayHaveBeenExecuted: true, idempotencyKey, fix }
    throw new NetworkFailed(fields, { cause: error.cause })
  }
}
