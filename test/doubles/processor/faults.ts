/** Faults that tests can inject into requests. */

export type Fault = {
  /** Pattern of method and path, such as `POST /v1/payment_intents`. Default: any request. */
  on?: RegExp
  /** Number of affected requests; default 1. */
  times?: number
} &
  /** Keeps the idempotency key in use for this time. */
  (
    | { kind: 'slow'; ms: number }
    /** Fails without effect. With `kept`, a retry under the same idempotency key gets the same failure. */
    | { kind: 'fails_before'; status?: number; kept?: boolean }
    /** Takes effect, but answers with a failure. */
    | { kind: 'fails_after'; status?: number; kept?: boolean }
    | { kind: 'reset_before' }
    /** Takes effect, then breaks the connection before the response. */
    | { kind: 'reset_after' }
    /** Answers with unrelated JSON, as a proxy in between would. */
    | { kind: 'other_json' }
    | { kind: 'hangs' }
  )

/** Returns the first fault of this kind. */
export function faultOf<Kind extends Fault['kind']>(met: readonly Fault[], kind: Kind) {
  return met.find((fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind)
}

export class Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#waiting = []
  }

  /** Faults of a request; each is used up by one count. */
  meet(request: string): Fault[] {
    const met = this.#waiting.filter(
      ({ fault }) => fault.on === undefined || fault.on.test(request),
    )
    for (const one of met) one.left -= 1
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
    return met.map(({ fault }) => fault)
  }
}
