/** What failed before the service could answer, or was answered by somebody else. */
import { SvcError } from '../failures.ts'

/** The client itself refused the call: nothing was sent. */
export class NotSent extends SvcError {
  override name = 'NotSent'
  constructor(code: string, message: string, fix: string) {
    super(message, { code, fix })
  }
}

/**
 * An answer that the API does not give, such as an HTML page: since `v1.2` all of its answers are JSON (specification,
 * Versioning 2). A redirect is one, too: no credential follows it.
 */
export class NotTheApi extends SvcError {
  override name = 'NotTheApi'
  /** @param what the answer was, such as "text/html" */
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
  /** Whether the call may have had its effect. */
  mayHaveBeenExecuted: boolean
  /** Under which a write was sent. */
  idempotencyKey?: string | undefined
  fix?: string
}

/** No answer came, or none that says what became of the call. */
export class NetworkFailed extends SvcError {
  override name = 'NetworkFailed'
  readonly mayHaveBeenExecuted: boolean
  /** Sent again under it, the call is executed at most once, and its first answer given. */
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
