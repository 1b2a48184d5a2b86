export class TooManyPaymentsError extends Error {
  readonly retryAfterMs: number
  constructor(reason: string, retryAfterMs: number) {
    super(reason)
    this.name = 'TooManyPaymentsError'
    this.retryAfterMs = retryAfterMs
  }
}
