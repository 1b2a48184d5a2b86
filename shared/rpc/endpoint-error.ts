/** Errors of endpoints. Only numbers are copied from the provider's response, because its texts may quote the URL. */

type EndpointFailureKind =
  | 'timeout'
  | 'unreachable'
  /** The response ended early, or could not be decompressed. */
  | 'cut'
  | 'too_large'
  | 'redirected'
  | 'rate_limited'
  | 'wrong_chain'
  | 'not_json'
  /** The response is JSON, but does not contain exactly one response for each call. */
  | 'not_json_rpc'
  /** The response is malformed or inconsistent, so it cannot be correct. */
  | 'bad_answer'
  | 'lags'
  | `http_${number}`
  | 'rpc_error'
  | `rpc_error_${number}`

export class EndpointError extends Error {
  override name = 'EndpointError'
  readonly kind: EndpointFailureKind
  readonly detail: string | undefined
  readonly retryAfterMs: number | undefined
  /**
   * True if the request itself may be the cause. The failure then counts against the endpoint only if another endpoint
   * answers the same request.
   */
  readonly perhapsRequest: boolean

  /** @param detail describes the problem; must not contain text from the provider */
  constructor(
    kind: EndpointFailureKind,
    {
      detail,
      retryAfterMs,
      perhapsRequest = false,
    }: {
      detail?: string | undefined
      retryAfterMs?: number | undefined
      perhapsRequest?: boolean
    } = {},
  ) {
    super(detail === undefined ? kind : `${kind}: ${detail}`)
    this.kind = kind
    this.detail = detail
    this.retryAfterMs = retryAfterMs
    this.perhapsRequest = perhapsRequest
  }

  /** True if the failure may mean that the block range is too large for the node. */
  get perhapsRange(): boolean {
    return (
      this.perhapsRequest ||
      this.kind === 'timeout' ||
      this.kind === 'cut' ||
      this.kind.startsWith('http_5')
    )
  }
}

/** @param detail describes the problem without quoting the response */
export function badResponse(detail: string): EndpointError {
  return new EndpointError('bad_answer', { detail })
}

/**
 * Maximum absolute error code to log. All known codes are smaller, and a larger number could be arbitrary data from the
 * provider.
 */
const CODE_MAX = 99_999

export function rpcErrorKind(code: number): EndpointFailureKind {
  return Number.isInteger(code) && Math.abs(code) <= CODE_MAX ? `rpc_error_${code}` : 'rpc_error'
}
