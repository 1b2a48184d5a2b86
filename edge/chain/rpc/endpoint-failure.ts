/** How an endpoint fails. Of what a provider writes only a number ever gets here: its texts can quote its URL. */

export type FailureKind =
  | 'timeout'
  | 'unreachable'
  /** The answer ended in its middle, or can not be decompressed. */
  | 'cut'
  | 'too_large'
  | 'redirected'
  | 'rate_limited'
  | 'wrong_chain'
  | 'not_json'
  /** JSON, but not an answer to each question and to nothing else. */
  | 'not_json_rpc'
  /** An answer that can not be right. */
  | 'bad_answer'
  | 'lags'
  | `http_${number}`
  | 'rpc_error'
  | `rpc_error_${number}`

export class EndpointFailed extends Error {
  override name = 'EndpointFailed'
  readonly kind: FailureKind
  /** How long it asked to be left alone; `undefined` where it did not say. */
  readonly retryAfterMs: number | undefined
  /** The question may be to blame: the endpoint has failed only if another one answers it. */
  readonly perhapsQuestion: boolean

  /** @param detail text of ours, for the message */
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

  /** Whether a range that is too large for the node fails like this. */
  get perhapsRange(): boolean {
    return (
      this.perhapsQuestion ||
      this.kind === 'timeout' ||
      this.kind === 'cut' ||
      this.kind.startsWith('http_5')
    )
  }
}

/** @param detail what is wrong with the answer, without anything of it */
export function badAnswer(detail: string): EndpointFailed {
  return new EndpointFailed('bad_answer', { detail })
}

/** Codes that are in use; another number could be anything that a provider wants to have in our log. */
const CODE_MAX = 99_999

export function rpcErrorKind(code: number): FailureKind {
  return Number.isInteger(code) && Math.abs(code) <= CODE_MAX ? `rpc_error_${code}` : 'rpc_error'
}
