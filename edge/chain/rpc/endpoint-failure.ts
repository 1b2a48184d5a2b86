/**
 * Failures of an endpoint. Only numbers are taken from the provider's response, because its texts can quote the URL.
 */

export type FailureKind =
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
  /** A response that cannot be right. */
  | 'bad_answer'
  | 'lags'
  | `http_${number}`
  | 'rpc_error'
  | `rpc_error_${number}`

export class EndpointFailed extends Error {
  override name = 'EndpointFailed'
  readonly kind: FailureKind
  /** Milliseconds from `Retry-After`, or undefined if the endpoint did not send it. */
  readonly retryAfterMs: number | undefined
  /** The request may be at fault, so the failure counts against the endpoint only if another one answers. */
  readonly perhapsQuestion: boolean

  /** @param detail our own text, for the message */
  constructor(
    kind: FailureKind,
    {
      detail,
      retryAfterMs,
      perhapsQuestion = false,
    }: { detail?: string; retryAfterMs?: number | undefined; perhapsQuestion?: boolean } = {},
  ) {
    super(detail === undefined ? kind : `${kind}: ${detail}`)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.perhapsQuestion = perhapsQuestion
  }

  /** True if a range that is too large for the node may cause this failure. */
  get perhapsRange(): boolean {
    return (
      this.perhapsQuestion ||
      this.kind === 'timeout' ||
      this.kind === 'cut' ||
      this.kind.startsWith('http_5')
    )
  }
}

/** @param detail describes the problem without quoting the response */
export function badAnswer(detail: string): EndpointFailed {
  return new EndpointFailed('bad_answer', { detail })
}

/** Codes in use are smaller. A larger number could be anything that a provider wants in our log. */
const CODE_MAX = 99_999

export function rpcErrorKind(code: number): FailureKind {
  return Number.isInteger(code) && Math.abs(code) <= CODE_MAX ? `rpc_error_${code}` : 'rpc_error'
}
