export class TooManyPayments extends Error {
  readonly retryAfterMs: number
  constructor(reason: string, retryAfterMs: number) {
    super(reason)
    this.name = 'TooManyPayments'
    this.retryAfterMs = retryAfterMs
  }
}
