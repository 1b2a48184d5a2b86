/** Only numbers are taken from the provider's response, because its texts can quote the URL. */

type EndpointFailureKind =
  | 'timeout'
  | 'unreachable'
  /** The response broke off, or could not be decompressed. */
  | 'cut'
  | 'too_large'
  | 'redirected'
  | 'rate_limited'
  | 'wrong_chain'
  | 'not_json'
  /** JSON, but not exactly one response for each call. */
  | 'not_json_rpc'
  /** Malformed or inconsistent, so it cannot be correct. */
  | 'bad_answer'
  | 'lags'
  | `http_${number}`
  | 'rpc_error'
  | `rpc_error_${number}`

export class EndpointError extends Error {
  override name = 'EndpointError'
  readonly kind: EndpointFailureKind
  /** From the `Retry-After` header; undefined if the endpoint did not send it. */
  readonly retryAfterMs: number | undefined
  /**
   * True if the request itself may be the cause. The failure then counts against the endpoint only if another endpoint
   * answers the request.
   */
  readonly perhapsRequest: boolean

  /** @param detail must not come from the provider */
  constructor(
    kind: EndpointFailureKind,
    {
      detail,
      retryAfterMs,
      perhapsRequest = false,
    }: { detail?: string; retryAfterMs?: number | undefined; perhapsRequest?: boolean } = {},
  ) {
    super(detail === undefined ? kind : `${kind}: ${detail}`)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.perhapsRequest = perhapsRequest
  }

  /** True if the block range may be too large for the node. */
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

/** Codes in use are smaller. A larger number could be anything that a provider wants to write to our log. */
const CODE_MAX = 99_999

export function rpcErrorKind(code: number): EndpointFailureKind {
  return Number.isInteger(code) && Math.abs(code) <= CODE_MAX ? `rpc_error_${code}` : 'rpc_error'
}
