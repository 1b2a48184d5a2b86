/** What can go wrong with a request, as tests ask for it. */

export type Fault = {
  /** `POST /v1/payment_intents`, as a pattern of method and path; any request unless said. */
  on?: RegExp
  /** How many requests meet it; 1 unless said. */
  times?: number
} &
  /** Its key is in use for so long. */
  (
    | { kind: 'slow'; ms: number }
    /** Nothing is done. `kept`: a repeat under its idempotency key is given the same failure. */
    | { kind: 'fails_before'; status?: number; kept?: boolean }
    /** It is done, and the answer is a failure. */
    | { kind: 'fails_after'; status?: number; kept?: boolean }
    | { kind: 'reset_before' }
    /** It is done, and the connection breaks before its answer. */
    | { kind: 'reset_after' }
    /** A proxy on the way answers in JSON of its own. */
    | { kind: 'other_json' }
    /** Its answer never ends. */
    | { kind: 'hangs' }
  )

/** One kind of them, among those that a request meets. */
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

  /** The faults that a request meets, each used up by one. */
  meet(request: string): Fault[] {
    const met = this.#waiting.filter(
      ({ fault }) => fault.on === undefined || fault.on.test(request),
    )
    for (const one of met) one.left -= 1
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
    return met.map(({ fault }) => fault)
  }
}
