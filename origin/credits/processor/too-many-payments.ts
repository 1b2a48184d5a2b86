/** An account asks for more of the processor than is good for all the others. */
export class TooManyPayments extends Error {
  readonly retryAfterMs: number
  constructor(reason: string, retryAfterMs: number) {
    super(reason)
    this.name = 'TooManyPayments'
    this.retryAfterMs = retryAfterMs
  }
}
